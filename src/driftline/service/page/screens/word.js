// Words: the curve of any word with its band and bursts; up to five words are compared.
import { change, here } from "../parts/address.js";
import { get } from "../parts/api.js";
import { button, element, fill, isolated } from "../parts/dom.js";
import { Figure } from "../parts/figure.js";
import { amount, count, date, listed, percent, period, plural, time } from "../parts/format.js";
import { Lines } from "../parts/lines.js";
import { completed, lengthOf } from "../parts/periods.js";
import { documentRow, driftingRow, knowTopics } from "../parts/rows.js";
import { nothing, table } from "../parts/table.js";
import { topicClass, topicColour } from "../parts/theme.js";

/** @typedef {import("../answers").WordPage} WordPage */
/** @typedef {import("../answers").WordList} WordList */

const most = 5;
const helpText = "Any word of the stream; up to five can be compared.";

/** @param {WordPage} page */
function sentenceOf({ words, level }) {
  if (!words.length) return "No word is chosen.";
  const parts = words.map(({ word, values, bursts }) => {
    const highest = Math.max(0, ...values.map((value) => value ?? 0));
    const open = bursts.find(({ end }) => end === null);
    const found = bursts.length ? plural(bursts.length, "burst") : "no burst";
    return `“${word}”: at most ${percent(highest)} of the documents of a ${level}, ${found}${open ? `, one of them since ${date(open.start)}` : ""}`;
  });
  return `${parts.join("; ")}.`;
}

/** @param {HTMLElement} place */
function open(place) {
  const box = element("input", {
    type: "search",
    id: "word-search",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "word-help",
  });
  const suggestions = element("ul", { class: "chips", "aria-label": "Words that match" });
  const help = element("p", { class: "quiet", id: "word-help" }, helpText);
  const chosen = element("ul", { class: "chips", "aria-label": "Chosen words" });
  const figure = new Figure({ title: "Share of the documents with the word", headings: ["Period", "#Documents"] });
  const lines = new Lines(figure.plot, { height: 320, unit: percent });
  const bursts = element("div", {});
  const documents = element("ul", { class: "documents" });
  const drifting = element("div", {});
  const documentsTitle = element("h2", { id: "word-documents" }, "Newest documents");
  const chosenPart = element(
    "div",
    { class: "columns" },
    element("section", { "aria-labelledby": "word-bursts" }, element("h2", { id: "word-bursts" }, "Bursts"), bursts),
    element("section", { "aria-labelledby": "word-documents" }, documentsTitle, documents),
  );
  const startPart = element(
    "section",
    { "aria-labelledby": "word-drifting" },
    element("h2", { id: "word-drifting" }, "Drifting words"),
    drifting,
  );
  const form = element(
    "form",
    { class: "controls", role: "search" },
    element("label", { for: "word-search" }, "Word"),
    box,
    element("button", { class: "small" }, "Add"),
  );
  place.append(
    element("div", { class: "head" }, element("h1", {}, "Words")),
    form,
    help,
    suggestions,
    chosen,
    figure.element,
    chosenPart,
    startPart,
  );

  /** @type {string[]} */
  let words = [];
  /** @type {WordPage | null} */
  let page = null;
  let wait = 0;
  let refresh = 0;
  /** @type {AbortController | null} */
  let asking = null;

  /** The words of the address, which is ahead of the words shown until its screen is drawn. @param {URLSearchParams} [given] */
  const wanted = (given = here().given) => [...new Set(given.getAll("w"))].slice(-most);

  /** @param {string} word */
  function add(word) {
    const added = word.trim().toLowerCase();
    if (!added) return;
    box.value = "";
    endSuggestions();
    change({ w: [...wanted().filter((each) => each !== added), added].slice(-most) });
  }

  /** @param {string} word */
  function remove(word) {
    change({ w: wanted().filter((each) => each !== word) });
  }

  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    add(box.value);
  });

  /** Empty the list, and cancel the request whose answer would fill it again. */
  function endSuggestions() {
    clearTimeout(wait);
    asking?.abort();
    help.textContent = helpText;
    fill(suggestions);
  }

  async function suggest() {
    const prefix = box.value.trim().toLowerCase();
    if (!prefix) return endSuggestions();
    asking?.abort();
    asking = new AbortController();
    try {
      const found = /** @type {WordList} */ (await get("/api/words", { prefix }, asking.signal));
      help.textContent = found.words.length
        ? helpText
        : `No word of the stream begins with “${prefix}”.`;
      fill(
        suggestions,
        found.words
          .slice(0, 12)
          .map(([word, n]) =>
            element(
              "li",
              {},
              element(
                "button",
                { type: "button", class: "chip", on: { click: () => add(word) } },
                isolated(word),
                " ",
                element("small", {}, count(n)),
              ),
            ),
          ),
      );
    } catch {
      // A newer request has replaced this one, or the service cannot be reached, which the notice says.
    }
  }
  box.addEventListener("input", () => {
    clearTimeout(wait);
    wait = window.setTimeout(suggest, 120);
  });

  function showChosen() {
    fill(
      chosen,
      words.map((word, i) =>
        element(
          "li",
          { class: topicClass(i) },
          element(
            "button",
            {
              type: "button",
              class: "chip",
              "aria-label": `Remove ${word}`,
              on: { click: () => remove(word) },
            },
            element("span", { class: "swatch" }),
            isolated(word),
            " ×",
          ),
        ),
      ),
      words.length > 1 &&
        element(
          "li",
          {},
          button("Remove all", () => change({ w: null }), { class: "small" }),
        ),
    );
    chosen.hidden = !words.length;
  }

  function showCurves() {
    if (!page) return;
    const { times, level, totals } = page;
    const length = lengthOf[level];
    const end = times.length ? times[times.length - 1] + length : 0;
    const unknown = page.unknown.length
      ? ` Not found in the stream: ${listed(page.unknown.map((word) => `“${word}”`))}.`
      : "";
    const removed = page.words
      .filter((curve) => curve.known_since !== null)
      .map((curve) => ` “${curve.word}” is not counted, and texts before ${time(Number(curve.known_since))} were removed, so earlier values are unknown.`)
      .join("");
    figure.headings = ["Period", "#Documents", ...page.words.flatMap(({ word }) => [`#${word}`, "#Low", "#High"])];
    figure.update(sentenceOf(page) + unknown + removed, () =>
      times.map((at, i) => [
        period(at, length),
        count(totals[i]),
        ...(page?.words ?? []).flatMap((curve) =>
          [curve.values, curve.low, curve.high].map((list) => (list[i] === null ? "–" : percent(Number(list[i])))),
        ),
      ]),
    );
    lines.draw({
      times,
      length,
      curves: page.words.map((found) => completed(found, totals)).map((curve) => ({
        name: curve.word,
        colour: topicColour(words.indexOf(curve.word)),
        values: curve.values,
        low: curve.low,
        high: curve.high,
        marks: curve.bursts.map(({ start, end: stop }) => /** @type {[number, number]} */ ([start, stop ?? end])),
      })),
    });
    const rows = page.words
      .flatMap(({ word, bursts: found }) => found.map((burst) => ({ word, ...burst })))
      .sort((a, b) => b.start - a.start);
    if (rows.length)
      fill(
        bursts,
        table(
          "Bursts, newest first",
          ["Word", "From", "To", "#Times the expected rate"],
          rows
            .slice(0, 25)
            .map(({ word, start, end: stop, ratio }) => [
              isolated(word),
              time(start),
              stop === null ? "now" : time(stop),
              amount(ratio),
            ]),
          { hidden: true, class: "cards" },
        ),
      );
    else nothing(bursts, "No burst in this interval.");
  }

  /** @param {AbortSignal} signal */
  async function showDocuments(signal) {
    const word = words[words.length - 1];
    await knowTopics();
    const found = await get("/api/documents", { q: word, sort: "newest" }, signal);
    fill(documentsTitle, "Newest documents with “", isolated(word), "”");
    if (found.documents.length)
      fill(
        documents,
        found.documents.slice(0, 8).map((/** @type {any} */ row) => documentRow(row)),
      );
    else nothing(documents, "No stored document contains this word.");
  }

  /** @param {URLSearchParams} given @param {AbortSignal} signal */
  async function show(given, signal) {
    words = wanted(given);
    showChosen();
    figure.element.hidden = chosenPart.hidden = !words.length;
    startPart.hidden = words.length > 0;
    if (!words.length) {
      page = null;
      const found = /** @type {WordList} */ (await get("/api/words", { at: given.get("at") }, signal));
      if (found.drifting.length)
        fill(
          drifting,
          table(
            "Words whose frequency changed, most certain first",
            ["Word", "Change", "Curve", "#Share", "#Certainty"],
            found.drifting.slice(0, 25).map(driftingRow),
            { hidden: true, class: "drifting" },
          ),
        );
      else nothing(drifting, "No word has changed its frequency significantly.");
      return;
    }
    page = /** @type {WordPage} */ (
      await get("/api/words/curves", { word: words, at: given.get("at"), span: given.get("span") }, signal)
    );
    document.title = `${listed(words)} · driftline`;
    showCurves();
    await showDocuments(signal);
  }

  return {
    show,
    /** Request the curves again at most once in two seconds; those of an earlier time do not change. @param {import("../parts/stream.js").Update} update */
    update({ type }) {
      if (type !== "delta" || !words.length || refresh || here().given.has("at")) return;
      refresh = window.setTimeout(async () => {
        refresh = 0;
        const asked = words;
        try {
          const found = /** @type {WordPage} */ (
            await get("/api/words/curves", { word: asked, span: here().given.get("span") })
          );
          if (asked !== words || here().given.has("at")) return;
          page = found;
          showCurves();
        } catch {
          // The notice shows the error; the curves stay.
        }
      }, 2000);
    },
    close() {
      endSuggestions();
      clearTimeout(refresh);
      lines.close();
      figure.close();
    },
    keys: [
      { keys: "w", does: "Add a word", run: () => box.focus() },
      { keys: "x", does: "Remove the last word", run: () => change({ w: wanted().slice(0, -1) }) },
    ],
  };
}

export const word = { name: "word", title: "Words", key: "g w", open };
