// Desk: one document at a time, labelled by a key; the next one is loaded in advance, and the classifier learns meanwhile.
import { announce, confirm } from "../parts/announce.js";
import { get, Refused, send } from "../parts/api.js";
import { classifierPanel } from "../parts/classifier_panel.js";
import { button, element, fill, isolated } from "../parts/dom.js";
import { percent } from "../parts/format.js";
import { shareBar } from "../parts/document_panel.js";
import { when } from "../parts/rows.js";
import { swipes } from "../parts/swipe.js";

/** @typedef {import("../answers").Suggestion} Suggestion */
/** @typedef {import("../answers").SuggestionList} SuggestionList */
/** @typedef {import("../answers").LabelAnswer} LabelAnswer */

const ahead = 2;
// Without the letters of the desk's own actions, of navigation and of settings.
const labelKeys = [..."123456789abcdefhijklmnoqrvwxyz"];

/** @param {HTMLElement} place @param {import("../main.js").Context} context */
function open(place, { session }) {
  const mayLabel = session.rights.includes("label");
  const card = element("article", { class: "desk-card panel", "aria-label": "Document to label" });
  const labelBox = element("div", { class: "label-keys", role: "group", "aria-label": "Labels" });
  const added = element("input", { id: "new-label", autocomplete: "off", maxlength: 60 });
  const form = element(
    "form",
    { class: "controls new-label" },
    element("label", { for: "new-label" }, "Another label"),
    added,
    element("button", { class: "small" }, "Assign"),
  );
  const actions = element("div", { class: "actions" });
  const beside = classifierPanel();
  place.append(
    element(
      "div",
      { class: "head" },
      element("h1", {}, "Desk"),
      element("p", { class: "kicker" }, "The documents whose labels are most useful to the classifier, one at a time."),
    ),
    element("div", { class: "split desk" }, element("div", {}, card, labelBox, form, actions), beside.element),
  );

  /** @type {Suggestion[]} */
  let waiting = [];
  /** @type {string[]} */
  let labels = [];
  /** @type {{ given: Suggestion, label: string | null }[]} */
  const done = [];
  let isAsking = false;

  form.hidden = !mayLabel;
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const label = added.value.trim();
    if (!label) return;
    added.value = "";
    if (!labels.includes(label)) labels.push(label);
    added.blur();
    give(label);
  });
  swipes(card, { right: () => take(), left: () => give(null) });

  async function fetchMore() {
    if (isAsking || waiting.length >= ahead) return;
    isAsking = true;
    try {
      const { suggestions, labels: known } = /** @type {SuggestionList} */ (await get("/api/suggestions", { n: ahead }));
      labels = [...known, ...labels.filter((label) => !known.includes(label))];
      const here = new Set(waiting.map(({ key }) => key));
      const finished = new Set(done.slice(-20).map(({ given }) => given.key));
      waiting.push(...suggestions.filter(({ key }) => !here.has(key) && !finished.has(key)));
    } finally {
      isAsking = false;
    }
  }

  function showCard() {
    const [now] = waiting;
    place.dataset.key = now?.key ?? "";
    if (!now) {
      fill(
        card,
        element(
          "p",
          { class: "quiet" },
          mayLabel
            ? "No document to label at present. New ones arrive with the stream."
            : "This token may read, but not label. To create one with the right “label”, use driftline serve tokens.",
        ),
      );
      fill(labelBox);
      fill(actions, mayLabel && button("Look again", () => reload()), done.length > 0 && undoButton());
      return;
    }
    fill(
      card,
      element(
        "p",
        { class: "document-head" },
        when(now.time),
        element("span", {}, "from ", isolated(now.source)),
        now.second_opinion && element("span", { class: "label" }, "second opinion"),
      ),
      element("p", { class: "desk-text", dir: "auto" }, now.text),
    );
    showLabels(now);
    fill(
      actions,
      button(now.guess === null ? "No guess yet" : "", () => take(), {
        class: "main-action",
        disabled: now.guess === null,
        id: "take",
      }),
      keyed(
        button("Skip ", () => give(null)),
        "s",
      ),
      done.length > 0 && undoButton(),
    );
    const taking = actions.querySelector("#take");
    if (now.guess !== null) fill(taking, "Accept the guess “", isolated(now.guess), "” ", element("kbd", {}, "Enter"));
  }

  /** @param {HTMLElement} made @param {string} key */
  const keyed = (made, key) => {
    made.append(element("kbd", {}, key));
    return made;
  };
  const undoButton = () =>
    keyed(
      button("Undo ", () => undo()),
      "u",
    );

  /** @param {Suggestion} now */
  function showLabels(now) {
    fill(
      labelBox,
      labels.map((label, i) =>
        element(
          "button",
          {
            type: "button",
            class: label === now.guess ? "label-key guessed" : "label-key",
            "aria-label": `${label}${label === now.guess ? ", the guess" : ""}`,
            on: { click: () => give(label) },
          },
          labelKeys[i] ? element("kbd", {}, labelKeys[i]) : element("span", {}),
          element("span", { class: "label-name" }, isolated(label)),
          label in now.probabilities ? shareBar(now.probabilities[label]) : element("span", {}),
          element("span", { class: "number" }, label in now.probabilities ? percent(now.probabilities[label]) : ""),
        ),
      ),
    );
  }

  function take() {
    const guess = waiting[0]?.guess;
    if (guess !== null && guess !== undefined) give(guess);
  }

  /** @param {string | null} label null skips */
  async function give(label) {
    const now = waiting.shift();
    if (!now || !mayLabel) return;
    done.push({ given: now, label });
    if (done.length > 100) done.shift();
    showCard();
    try {
      const sent = send("POST", "/api/labels", { key: now.key, label, lease: now.lease });
      const [{ classifier }] = await Promise.all([/** @type {Promise<LabelAnswer>} */ (sent), fetchMore()]);
      beside.show(classifier);
      announce(label === null ? "Skipped." : `Labelled ${label}. ${beside.sentence()}`);
    } catch (problem) {
      done.splice(
        done.findIndex(({ given }) => given === now),
        1,
      );
      // A document that was removed, or that another person is labelling, is not shown again.
      const isTaken = problem instanceof Refused && (problem.status === 404 || problem.status === 409);
      if (isTaken) await fetchMore().catch(() => {});
      else waiting.unshift(now);
      confirm(/** @type {Error} */ (problem).message);
    }
    showCard();
  }

  async function undo() {
    const last = done.pop();
    if (!last) return;
    try {
      const { classifier } = /** @type {LabelAnswer} */ (
        await send("POST", "/api/labels", { key: last.given.key, label: last.label, lease: last.given.lease, undo: true })
      );
      beside.show(classifier);
      waiting.unshift(last.given);
      announce(last.label === null ? "Back to the skipped document." : `The label ${last.label} was withdrawn.`);
    } catch (problem) {
      done.push(last);
      confirm(/** @type {Error} */ (problem).message);
    }
    showCard();
  }

  async function reload() {
    beside.show(await get("/api/classifier"));
    if (mayLabel) await fetchMore();
    showCard();
  }

  return {
    show: reload,
    /** @param {import("../parts/stream.js").Update} update */
    update({ type, data }) {
      if (type === "learned") beside.show(data.classifier);
      if (type === "delta" && mayLabel && !waiting.length && !isAsking && !done.length) reload();
      if (type === "deleted" && waiting.some(({ key }) => key === data.key)) {
        waiting = waiting.filter(({ key }) => key !== data.key);
        showCard();
        fetchMore().then(showCard);
      }
    },
    close: () => beside.close(),
    keys: [
      { keys: "Enter", does: "Accept the guess", run: take },
      { keys: "s", does: "Skip", run: () => void give(null) },
      { keys: "u", does: "Undo", run: () => void undo() },
      { keys: "+", does: "Enter another label", run: () => added.focus() },
      ...labelKeys.map((key, i) => ({
        keys: key,
        does: "1–9, a–z: assign this label",
        hidden: i > 0,
        run: () => labels[i] !== undefined && void give(labels[i]),
      })),
    ],
  };
}

export const desk = { name: "desk", title: "Desk", key: "g l", open };
