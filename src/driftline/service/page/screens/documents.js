// Documents: search as you type, facets, a histogram, and a panel with one document.
import { change, here } from "../parts/address.js";
import { announce } from "../parts/announce.js";
import { get } from "../parts/api.js";
import { showDocument } from "../parts/document_panel.js";
import { button, element, fill, isolated } from "../parts/dom.js";
import { Figure } from "../parts/figure.js";
import { count, iso, period, plural } from "../parts/format.js";
import { histogram } from "../parts/histogram.js";
import { lengthOf } from "../parts/periods.js";
import { documentRow, knowTopics, topicsKnown } from "../parts/rows.js";
import { nothing } from "../parts/table.js";
import { topicClass } from "../parts/theme.js";

/** @typedef {import("../answers").DocumentList} DocumentList */

const filters = ["q", "topic", "label", "source", "from", "to", "sort"];
const day = 86_400;
const facetTitles = { topic: "Topic", label: "Label", source: "Source" };

/** @param {string | null} text a day, or seconds @param {number} [later] */
function secondsOf(text, later = 0) {
  if (!text) return null;
  if (/^\d+$/.test(text)) return text;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : String(at / 1000 + later);
}

/** @param {HTMLElement} place @param {import("../main.js").Context} context */
function open(place, { session }) {
  const box = element("input", {
    type: "search",
    id: "search",
    placeholder: "Words of the documents",
    autocomplete: "off",
    spellcheck: "false",
  });
  const sort = element(
    "select",
    { id: "sort" },
    element("option", { value: "newest" }, "Newest first"),
    element("option", { value: "best" }, "Best match first"),
  );
  const from = element("input", { type: "date", id: "from" });
  const to = element("input", { type: "date", id: "to" });
  const found = element("p", { class: "found", role: "status" });
  const facets = element("div", { class: "facets" });
  const figure = new Figure({ title: "When", headings: ["Period", "#Documents"], heading: "h2", class: "histogram-figure" });
  const list = element("ul", { class: "documents", id: "results" });
  const newer = button("Show newer documents", () => reload(), { class: "small", hidden: true });
  const more = button("More", () => next(), { hidden: true });
  const panel = element("section", { class: "panel document-panel", "aria-labelledby": "document-title", hidden: true });
  place.append(
    element(
      "div",
      { class: "head" },
      element("h1", {}, "Documents"),
      element(
        "form",
        { class: "controls search-row", role: "search", on: { submit: (/** @type {Event} */ event) => event.preventDefault() } },
        element("label", { for: "search", class: "unseen" }, "Search"),
        box,
        element("label", { for: "sort", class: "unseen" }, "Order"),
        sort,
        element(
          "span",
          { class: "dates" },
          element("label", { for: "from" }, "From"),
          from,
          element("label", { for: "to" }, "to"),
          to,
        ),
      ),
      found,
    ),
    element(
      "div",
      { class: "with-list documents-layout" },
      element("div", { class: "list-side" }, facets),
      element(
        "div",
        { class: "list-main" },
        figure.element,
        element(
          "div",
          { class: "results" },
          element("div", {}, element("h2", { class: "unseen" }, "Results"), newer, list, more),
          panel,
        ),
      ),
    ),
  );

  /** @type {DocumentList | null} */
  let answer = null;
  /** @type {AbortController | null} */
  let asking = null;
  let wait = 0;
  let opened = "";

  /** The text typed last; an address with other words replaces it. @type {string | null} */
  let typed = null;
  box.addEventListener("input", () => {
    clearTimeout(wait);
    wait = window.setTimeout(() => {
      typed = box.value;
      change({ q: typed, key: null }, { quietly: true });
    }, 150);
  });
  sort.addEventListener("change", () => change({ sort: sort.value === "newest" ? null : sort.value }, { quietly: true }));
  from.addEventListener("change", () => change({ from: from.value }, { quietly: true }));
  to.addEventListener("change", () => change({ to: to.value }, { quietly: true }));

  /** @param {URLSearchParams} given */
  const query = (given) => ({
    ...Object.fromEntries(filters.map((name) => [name, given.get(name)])),
    from: secondsOf(given.get("from")),
    to: secondsOf(given.get("to"), day),
    at: given.get("at"),
  });

  function showFacets(/** @type {URLSearchParams} */ given) {
    if (!answer) return;
    fill(
      facets,
      Object.entries(facetTitles).map(([name, title]) => {
        const values = answer?.facets[name] ?? [];
        const chosen = given.get(name);
        if (!values.length && !chosen) return null;
        const shown =
          chosen && !values.some(({ value }) => value === chosen) ? [{ value: chosen, name: chosen, n: 0 }, ...values] : values;
        return element(
          "section",
          { "aria-label": `By ${title.toLowerCase()}` },
          element("h2", {}, title),
          element(
            "ul",
            { class: "facet" },
            shown.slice(0, 12).map((facet) => {
              const topic = name === "topic" ? topicsKnown.get(Number(facet.value)) : undefined;
              return element(
                "li",
                {},
                element(
                  "button",
                  {
                    type: "button",
                    class: "facet-value",
                    "aria-pressed": String(chosen === facet.value),
                    on: { click: () => change({ [name]: chosen === facet.value ? null : facet.value }, { quietly: true }) },
                  },
                  element(
                    "span",
                    {},
                    topic && element("span", { class: `swatch ${topicClass(topic.colour)}` }),
                    isolated(topic?.name ?? facet.name),
                  ),
                  element("span", { class: "number" }, count(facet.n)),
                ),
              );
            }),
          ),
        );
      }),
    );
  }

  function showHistogram() {
    if (!answer) return;
    const { times, counts, level } = answer;
    const length = lengthOf[level];
    const highest = counts.indexOf(Math.max(...counts));
    figure.element.hidden = times.length < 2;
    figure.update(
      times.length
        ? `Matches per ${level}, ${period(times[0], length)} to ${period(times[times.length - 1], length)}; most (${count(counts[highest])}) in the ${level} of ${period(times[highest], length)}.`
        : "",
      () => times.map((at, i) => [period(at, length), count(counts[i])]),
    );
    const days = (/** @type {number} */ at) => iso(at).slice(0, 10);
    fill(
      figure.plot,
      histogram(times, counts, (i) =>
        change({ from: days(times[i]), to: days(times[i] + Math.max(0, length - day)) }, { quietly: true }),
      ),
    );
  }

  function showFound() {
    if (!answer) return;
    const { total, is_capped: isCapped, note } = answer;
    const sentence = `${isCapped ? `More than ${count(total)} documents; the newest ${count(total)} are counted below` : plural(total, "document")}${note ? `. ${note}` : ""}`;
    found.textContent = sentence;
    announce(sentence);
  }

  const narrowed = () => [...filters, "at"].some((name) => name !== "sort" && here().given.get(name));

  /** @param {boolean} added */
  function showList(added) {
    if (!answer) return;
    const rows = answer.documents.map((row) => documentRow(row, { open: (key) => change({ key }) }));
    if (added) list.append(...rows);
    else if (rows.length) fill(list, rows);
    else if (narrowed()) nothing(list, "No document matches. Try fewer words or a longer interval.");
    else nothing(list, "No document has arrived yet.");
    more.hidden = answer.next === null;
    mark();
  }

  function mark() {
    for (const item of list.children) item.toggleAttribute("data-open", /** @type {HTMLElement} */ (item).dataset.key === opened);
  }

  async function next() {
    if (!answer || answer.next === null) return;
    answer = /** @type {DocumentList} */ (await get("/api/documents", { ...query(here().given), after: answer.next }));
    showList(true);
  }

  async function showPanel(/** @type {string} */ key) {
    const isNew = key !== opened;
    opened = key;
    place.toggleAttribute("data-panel", key !== "");
    mark();
    if (!key) return void (panel.hidden = true);
    if (!isNew) return;
    const focus = document.activeElement;
    const back = () => {
      change({ key: null });
      if (focus instanceof HTMLElement && focus.isConnected) focus.focus();
    };
    await showDocument(panel, key, {
      mayDelete: session.rights.includes("admin"),
      onClose: back,
      onDeleted: (gone) => {
        list.querySelector(`[data-key="${CSS.escape(gone)}"]`)?.remove();
        change({ key: null });
      },
    });
    panel.querySelector("h2")?.focus();
  }

  let asked = "";
  /** @param {URLSearchParams} given */
  async function show(given) {
    const words = given.get("q") ?? "";
    if (words !== typed) box.value = typed = words;
    sort.value = given.get("sort") === "best" ? "best" : "newest";
    for (const [name, input] of /** @type {[string, HTMLInputElement][]} */ ([
      ["from", from],
      ["to", to],
    ]))
      if (/^\d{4}-\d\d-\d\d$/.test(given.get(name) ?? "") || !given.get(name)) input.value = given.get(name) ?? "";
    const request = JSON.stringify(query(given));
    if (request !== asked || !answer) {
      asking?.abort();
      asking = new AbortController();
      const { signal } = asking;
      await knowTopics();
      answer = /** @type {DocumentList} */ (await get("/api/documents", query(given), signal));
      asked = request;
      newer.hidden = true;
      showFound();
      showFacets(given);
      showHistogram();
      showList(false);
    }
    await showPanel(given.get("key") ?? "");
  }

  function reload() {
    asked = "";
    show(here().given).catch(() => {});
    box.focus();
  }

  /** @param {1 | -1} step */
  function move(step) {
    const items = [...list.querySelectorAll(".document")];
    const focused = items.findIndex((item) => item.contains(document.activeElement) || item.hasAttribute("data-open"));
    const target = items[Math.min(items.length - 1, Math.max(0, focused + step))];
    target?.querySelector("button")?.focus();
    target?.scrollIntoView({ block: "nearest" });
    if (opened && target instanceof HTMLElement) change({ key: target.dataset.key ?? null }, { quietly: true });
  }

  return {
    show,
    focus: () => box.focus(),
    /** @param {import("../parts/stream.js").Update} update */
    update({ type, data }) {
      if (type === "delta" && answer) newer.hidden = false;
      if (type === "deleted") list.querySelector(`[data-key="${CSS.escape(data.key)}"]`)?.remove();
    },
    close() {
      clearTimeout(wait);
      asking?.abort();
      figure.close();
    },
    keys: [
      { keys: "/", does: "Search", run: () => box.select() },
      { keys: "j", does: "Next document", run: () => move(1) },
      { keys: "k", does: "Previous document", run: () => move(-1) },
      { keys: "Escape", does: "Close the document", run: () => change({ key: null }) },
      { keys: "m", does: "More documents", run: () => next() },
    ],
  };
}

export const documents = { name: "documents", title: "Documents", key: "/", open };
