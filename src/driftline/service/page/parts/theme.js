// Colours: defined once in CSS, light and dark; canvases read them from there.
import { settings, whenChosen } from "./settings.js";

const names = ["ink", "muted", "rule", "line", "ground", "paper", "blue", "orange", "soft", "edge"];
const nTopics = 20;

/** @typedef {{ [name: string]: string } & { topics: string[] }} Colours */

/** @type {Colours | null} */
let known = null;
/** @type {Set<() => void>} */
const listeners = new Set();

function resolve() {
  const probe = document.createElement("i");
  probe.hidden = true;
  document.body.append(probe);
  /** @param {string} name */
  const colour = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const found = /** @type {Colours} */ (Object.fromEntries(names.map((name) => [name, colour(name)])));
  found.topics = Array.from({ length: nTopics }, (_, i) => colour(`topic-${i}`));
  probe.remove();
  return found;
}

/** Return the colours of the present theme, in the format of canvases. */
export const colours = () => (known ??= resolve());

/** @param {string} colour as `rgb(r, g, b)` @param {number} opacity */
export const faint = (colour, opacity) => colour.replace("rgb(", "rgba(").replace(")", `, ${opacity})`);

/** @param {number} place */
export const topicColour = (place) => colours().topics[((place % nTopics) + nTopics) % nTopics];

/** @param {number} place */
export const topicClass = (place) => `topic-colour-${((place % nTopics) + nTopics) % nTopics}`;

/** @param {() => void} listener */
export function whenRecoloured(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function apply() {
  document.documentElement.dataset.theme = settings.theme;
  known = null;
  for (const listener of [...listeners]) listener();
}

whenChosen(apply);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
document.documentElement.dataset.theme = settings.theme;
