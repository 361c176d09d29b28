// The keyboard map: "g o", "/", "1"; each binding has a description, and `?` lists the active ones.
import { settings } from "./settings.js";

/** @typedef {{ keys: string, does: string, run: (event: KeyboardEvent) => void, hidden?: boolean }} Binding */

/** @type {Map<string, Binding[]>} */
const scopes = new Map();
const sequenceWithin = 1200;
let begun = "";
let begunAt = 0;

/** Replace the keys of a scope ("everywhere" or "screen"). @param {string} scope @param {Binding[]} bindings */
export function bind(scope, bindings) {
  scopes.set(scope, bindings);
}

/** @returns {[string, Binding[]][]} */
export const bound = () => [...scopes].filter(([, bindings]) => bindings.length);

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=range])"))
  );
}

/** Keys that a focused control uses itself. @param {KeyboardEvent} event */
function belongsToControl(event) {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (event.key === "Enter" || event.key === " ") return target.matches("button, a, summary, input, select, [role=button]");
  return target.matches("input[type=range]") && event.key.startsWith("Arrow");
}

/** @param {string} keys */
function find(keys) {
  for (const scope of ["dialog", "screen", "everywhere"]) {
    const found = scopes.get(scope)?.find((binding) => binding.keys === keys);
    if (found) return found;
    if (scope === "dialog" && document.querySelector("dialog[open]")) return undefined;
  }
  return undefined;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented) return;
  if (event.key === "Escape" && isTyping(event.target)) return /** @type {HTMLElement} */ (event.target).blur();
  if (isTyping(event.target) || belongsToControl(event)) return;
  const single = event.key.length === 1;
  if (single && !settings.singleKeys) return;
  const now = performance.now();
  const sequence = begun && now - begunAt < sequenceWithin ? `${begun} ${event.key}` : "";
  begun = "";
  const binding = (sequence && find(sequence)) || find(event.key);
  if (binding) {
    event.preventDefault();
    binding.run(event);
  } else if (single && [...scopes.values()].flat().some((each) => each.keys.startsWith(`${event.key} `))) {
    [begun, begunAt] = [event.key, now];
  }
}

document.addEventListener("keydown", onKey);
