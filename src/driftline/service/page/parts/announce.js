// What a screen reader says by itself: the newest message, politely, at most one in ten seconds.

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

/** An answer to what the reader has just done: shown at once. @param {string} message */
export function confirm(message) {
  const place = document.getElementById("status");
  if (!place) return;
  place.textContent = message;
  window.setTimeout(() => {
    if (place.textContent === message) place.textContent = "";
  }, 6000);
}
