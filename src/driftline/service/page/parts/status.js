// The state of the page, in its bar: live, paused, or without connection; and one line for what is wrong.
import { announce } from "./announce.js";
import { clock, count } from "./format.js";

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {import("./stream.js").State} state */
export function showConnection(state) {
  const place = byId("connection");
  const before = place.dataset.state;
  place.dataset.state = state;
  byId("connection-text").textContent = { live: "Live", offline: "No connection", connecting: "Connecting" }[state];
  if (state === "offline" && before !== "offline") {
    showNotice(
      `No connection since ${clock(Date.now() / 1000)} UTC. What is shown is the last state known; the page connects again by itself.`,
    );
    announce("The connection to the service is lost.");
  }
  if (state === "live" && before === "offline") {
    showNotice("");
    announce("The connection is back.");
  }
}

/** @param {boolean} paused @param {number} missed */
export function showPaused(paused, missed) {
  const control = byId("pause");
  control.setAttribute("aria-pressed", String(paused));
  control.textContent = paused ? "Continue" : "Pause";
  byId("connection").toggleAttribute("data-paused", paused);
  if (byId("connection").dataset.state === "live")
    byId("connection-text").textContent = paused ? (missed ? `Paused, ${count(missed)} waiting` : "Paused") : "Live";
}

/** @param {string} message none: the line disappears */
export function showNotice(message) {
  const place = byId("notice");
  place.textContent = message;
  place.hidden = !message;
}
