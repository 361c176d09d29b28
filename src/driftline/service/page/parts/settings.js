// Persistent settings of the user: theme, single keys, tables, motion. The rest of the state is in the address.

const place = "driftline";
const defaults = { theme: "system", singleKeys: true, tables: false, motion: true };

/** @typedef {typeof defaults} Settings */

/** @returns {Settings} */
function stored() {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(place) || "{}") };
  } catch {
    return { ...defaults };
  }
}

/** @type {Settings} */
export const settings = stored();
/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {Partial<Settings>} changes */
export function choose(changes) {
  Object.assign(settings, changes);
  try {
    localStorage.setItem(place, JSON.stringify(settings));
  } catch {
    // Storage is forbidden or full; the setting then lasts until the page is closed.
  }
  for (const listener of [...listeners]) listener();
}

/** @param {() => void} listener */
export function whenChosen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Whether figures may be animated: both the system and the user allow it. */
export const mayMove = () => settings.motion && !calm.matches;
