// The state of the page in its bar (live, paused, or without connection), and a line for errors.
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
      `No connection since ${clock(Date.now() / 1000)} UTC. The page shows the last known state and will reconnect automatically.`,
    );
    announce("The connection to the service was lost.");
  }
  if (state === "live" && before === "offline") {
    showNotice("");
    announce("The connection was restored.");
  }
}

/** @param {boolean} paused @param {number} missed */
export function showPaused(paused, missed) {
  const control = byId("pause");
  control.setAttribute("aria-pressed", String(paused));
  control.textContent = paused ? "Resume" : "Pause";
  byId("connection").toggleAttribute("data-paused", paused);
  if (byId("connection").dataset.state === "live")
    byId("connection-text").textContent = paused ? (missed ? `Paused, ${count(missed)} waiting` : "Paused") : "Live";
}

/** @param {string} message an empty message hides the line */
export function showNotice(message) {
  const place = byId("notice");
  place.textContent = message;
  place.hidden = !message;
}
