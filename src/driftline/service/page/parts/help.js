// The list of keys, and the settings of the user: theme, single keys, motion.
import { button, element } from "./dom.js";
import { bound } from "./keys.js";
import { choose, settings } from "./settings.js";

const titles = { everywhere: "Everywhere", screen: "On this screen" };

/** @type {Record<string, string>} */
const arrows = { ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

/** @param {string} keys */
export const keycaps = (keys) =>
  element(
    "span",
    { class: "keycaps" },
    keys.split(" ").map((key) => element("kbd", {}, arrows[key] ?? key)),
  );

/** @param {string} text @param {"singleKeys" | "tables" | "motion"} name */
function check(text, name) {
  const box = element("input", {
    type: "checkbox",
    checked: settings[name],
    on: { change: () => choose({ [name]: box.checked }) },
  });
  return element("label", { class: "choice" }, box, ` ${text}`);
}

function themes() {
  const options = [
    ["system", "System setting"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  return element(
    "fieldset",
    { class: "choices" },
    element("legend", {}, "Theme"),
    options.map(([value, text]) =>
      element(
        "label",
        { class: "choice" },
        element("input", {
          type: "radio",
          name: "theme",
          value,
          checked: settings.theme === value,
          on: { change: () => choose({ theme: value }) },
        }),
        ` ${text}`,
      ),
    ),
  );
}

export function openHelp() {
  if (document.querySelector("dialog[open]")) return;
  const dialog = element("dialog", { class: "help", "aria-labelledby": "help-title" });
  dialog.append(
    element(
      "div",
      { class: "figure-head" },
      element("h2", { id: "help-title" }, "Keys and settings"),
      button("Close", () => dialog.close(), { class: "small" }),
    ),
    element(
      "div",
      { class: "help-lists" },
      [...bound()]
        .filter(([scope]) => scope in titles)
        .map(([scope, bindings]) =>
          element(
            "section",
            {},
            element("h3", {}, titles[/** @type {keyof typeof titles} */ (scope)]),
            element(
              "dl",
              { class: "keys" },
              bindings
                .filter(({ hidden }) => !hidden)
                .map(({ keys, does }) => element("div", {}, element("dt", {}, keycaps(keys)), element("dd", {}, does))),
            ),
          ),
        ),
    ),
    element(
      "div",
      { class: "settings" },
      themes(),
      element(
        "fieldset",
        { class: "choices" },
        element("legend", {}, "Reading"),
        check("Single-key shortcuts", "singleKeys"),
        check("Show figures as tables", "tables"),
        check("Animate figures", "motion"),
      ),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Ask for confirmation of an action that cannot be undone. @param {string} title @param {string} text @param {string} action @returns {Promise<boolean>} */
export function askFirst(title, text, action) {
  return new Promise((resolve) => {
    const dialog = element(
      "dialog",
      { class: "ask", "aria-labelledby": "ask-title" },
      element("h2", { id: "ask-title" }, title),
      element("p", {}, text),
      element(
        "p",
        { class: "actions" },
        button(action, () => dialog.close("yes"), { class: "danger" }),
        " ",
        button("Cancel", () => dialog.close(""), { class: "small" }),
      ),
    );
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
