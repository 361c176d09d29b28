// The time from the arrival of a document at the service until this page has painted it.

const most = 500;
/** @type {number[]} */
const seconds = [];

/** @param {import("../answers").Delta} delta */
export function painted({ arrived }) {
  if (arrived === null) return;
  // The frame after the next one starts when the next one has been painted.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      seconds.push(Math.max(0, Date.now() / 1000 - arrived));
      if (seconds.length > most) seconds.shift();
      document.documentElement.dataset.painted = String(Number(document.documentElement.dataset.painted ?? 0) + 1);
    }),
  );
}

export function latency() {
  const sorted = [...seconds].sort((a, b) => a - b);
  /** @param {number} share */
  const at = (share) => (sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : null);
  return { p50: at(0.5), p95: at(0.95), n: sorted.length };
}
