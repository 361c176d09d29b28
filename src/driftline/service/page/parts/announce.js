// Messages for screen readers: a polite live region with the newest message, at most one in ten seconds.

export const quietFor = 10_000;
let last = -Infinity;
/** @type {string | null} */
let waiting = null;
/** @type {number | undefined} */
let timer;

function say() {
  timer = undefined;
  if (waiting === null) return;
  last = performance.now();
  const region = document.getElementById("live");
  if (region) region.textContent = waiting;
  waiting = null;
}

/** @param {string} message */
export function announce(message) {
  waiting = message;
  if (timer === undefined) timer = window.setTimeout(say, Math.max(0, last + quietFor - performance.now()));
}

/** Confirm an action of the user at once. @param {string} message */
export function confirm(message) {
  const place = document.getElementById("status");
  if (!place) return;
  place.textContent = message;
  window.setTimeout(() => {
    if (place.textContent === message) place.textContent = "";
  }, 6000);
}
