// The address contains the view: #topic?id=3&at=2024-03-01T14:00:00Z can be linked, copied, and undone by the back button.

/** @typedef {{ screen: string, given: URLSearchParams }} View */

/** @param {string} hash @returns {View} */
export function viewOf(hash) {
  const [name, query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { screen: /^[a-z]+$/.test(name) ? name : "overview", given: new URLSearchParams(query) };
}

export const here = () => viewOf(location.hash);

/**
 * @param {string} screen
 * @param {Record<string, string | number | string[] | null | undefined>} [given]
 */
export function hashOf(screen, given = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    for (const each of [value].flat()) if (each !== null && each !== undefined && each !== "") query.append(name, String(each));
  }
  const text = query.toString();
  return text ? `#${screen}?${text}` : `#${screen}`;
}

/** @param {string} screen @param {Record<string, any>} [given] */
export function go(screen, given) {
  location.hash = hashOf(screen, given);
}

/**
 * Change parts of the view and keep the others; `quietly` leaves no entry in the history.
 * @param {Record<string, string | number | string[] | null>} changes
 * @param {{ quietly?: boolean }} [how]
 */
export function change(changes, { quietly = false } = {}) {
  const { screen, given } = here();
  /** @type {Record<string, any>} */
  const whole = {};
  for (const name of new Set(given.keys())) whole[name] = given.getAll(name);
  const hash = hashOf(screen, { ...whole, ...changes });
  if (hash === location.hash) return;
  if (quietly) {
    history.replaceState(null, "", hash);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = hash;
}

/** A whole number of the address, or the default: an address may contain anything. @param {URLSearchParams} given @param {string} name @param {number | null} [otherwise] */
export function wholeNumber(given, name, otherwise = null) {
  const text = given.get(name) ?? "";
  return /^\d{1,12}$/.test(text) ? Number(text) : otherwise;
}
