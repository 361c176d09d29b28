// Signing in: the token stands in the fragment of the address, which no server or log sees, and is traded for a cookie
// that scripts cannot read.
import { send } from "./api.js";
import { element, fill } from "./dom.js";

/** Trade the token of the address, if there is one, and remove it from the address and the history. */
export async function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (token === null) return;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  try {
    await send("POST", "/api/session", { token });
  } catch {
    // The request that follows finds out, and the form is shown.
  }
}

/** @param {HTMLElement} place @param {() => Promise<void>} then */
export function showSignIn(place, then) {
  const token = element("input", {
    type: "password",
    id: "token",
    name: "token",
    autocomplete: "current-password",
    required: true,
    "aria-describedby": "token-help",
  });
  const problem = element("p", { class: "problem", role: "alert" });
  const form = element(
    "form",
    { class: "sign-in" },
    element("h1", {}, "Sign in"),
    element(
      "p",
      { id: "token-help" },
      "The service prints an address with its token when it starts. Open that address, or enter the token here; ",
      element("code", {}, "driftline serve tokens"),
      " makes others.",
    ),
    element("label", { for: "token" }, "Token"),
    token,
    element("button", { class: "main-action" }, "Sign in"),
    problem,
  );
  form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    try {
      await send("POST", "/api/session", { token: token.value.trim() });
      delete document.body.dataset.signIn;
      place.replaceChildren();
      await then();
    } catch (refused) {
      problem.textContent =
        /** @type {any} */ (refused).status === 401
          ? "This token is not valid. It may have been removed, or cut off when it was copied."
          : /** @type {Error} */ (refused).message;
      token.select();
    }
  });
  document.body.dataset.signIn = "true";
  fill(place, form);
  document.title = "Sign in · driftline";
  token.focus();
}
