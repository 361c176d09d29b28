// Signing in: the token is in the fragment of the address, which is not sent to servers or logs, and is exchanged for a
// cookie that scripts cannot read.
import { send } from "./api.js";
import { element, fill } from "./dom.js";

/** Exchange the token of the address, if there is one, and remove it from the address and the history. */
export async function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (token === null) return;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  try {
    await send("POST", "/api/session", { token });
  } catch {
    // The next request fails, too, and the form is then shown.
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
      "The service prints an address with a token when it starts. Open that address, or enter the token here. To create other tokens, use ",
      element("code", {}, "driftline serve tokens"),
      ".",
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
          ? "This token is not valid. It may have been removed, or copied incompletely."
          : /** @type {Error} */ (refused).message;
      token.select();
    }
  });
  document.body.dataset.signIn = "true";
  fill(place, form);
  document.title = "Sign in · driftline";
  token.focus();
}
