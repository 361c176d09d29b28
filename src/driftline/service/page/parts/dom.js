// Construction of elements from plain text: nothing from a document is ever parsed as markup.

/** @typedef {string | number | Node | null | undefined | false} Child */

/**
 * Make an element. Attributes are plain strings; listeners are functions under `on`; `style` and inline handlers are refused.
 * @param {string} tag
 * @param {Record<string, any>} [given]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function element(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (name === "style" || name.startsWith("on")) throw new Error(`the attribute ${name} must not be set here`);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...nodes(children));
  return made;
}

/** @param {(Child | Child[])[]} children */
const nodes = (children) =>
  /** @type {(string | Node)[]} */ (
    children
      .flat()
      .filter((child) => child !== null && child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : String(child)))
  );

/**
 * Replace what an element contains.
 * @param {Element} place
 * @param {...(Child | Child[])} children
 */
export const fill = (place, ...children) => place.replaceChildren(...nodes(children));

/** Wrap a text so that its direction cannot affect the surrounding text. @param {string} text */
export const isolated = (text) => element("bdi", {}, text);

/**
 * @param {string} text
 * @param {(event: MouseEvent) => void} run
 * @param {Record<string, any>} [given]
 */
export const button = (text, run, given = {}) => element("button", { type: "button", ...given, on: { click: run } }, text);

/** Make an SVG element. @param {string} tag @param {Record<string, string | number>} given @param {...Node} children */
export function drawn(tag, given, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * Mark the words of a text for which `weightOf` gives a number; 0 is the plain mark, 1 to 3 are strengths.
 * @param {string} text
 * @param {(word: string) => number | undefined} weightOf
 */
export function marked(text, weightOf) {
  const whole = document.createDocumentFragment();
  let end = 0;
  for (const match of text.matchAll(/[\p{L}\p{N}_'’-]+/gu)) {
    const strength = weightOf(match[0].toLowerCase());
    if (strength === undefined) continue;
    whole.append(text.slice(end, match.index), element("mark", strength ? { class: `strength-${strength}` } : {}, match[0]));
    end = match.index + match[0].length;
  }
  whole.append(text.slice(end));
  return whole;
}
