"use strict";
// All documents of a selection, a page at a time.
(() => {
  const { byId, element, documentItem, texts, change } = driftline;
  const perPage = 20;

  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

  const dateOf = (seconds) => new Date(seconds * 1000).toISOString();

  // What all documents give of their dates: "year" if all have the first day of a year at midnight, and so on.
  const precisions = new WeakMap();
  function precision(index) {
    if (!precisions.has(index)) {
      const dates = [...new Set(index.times)].map(dateOf);
      const all = (end) => dates.length >= 3 && dates.every((date) => date.slice(0, 19).endsWith(end));
      precisions.set(index, all("-01-01T00:00:00") ? "year" : all("-01T00:00:00") ? "month" : "day");
    }
    return precisions.get(index);
  }

  // A date as in the rest of the page; exactly midnight means that only the date was known.
  function clock(seconds, given) {
    const date = new Date(seconds * 1000);
    if (given === "year") return `${date.getUTCFullYear()}`;
    if (given === "month") return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
    const day = `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
    const time = dateOf(seconds).split("T")[1];
    return time.startsWith("00:00:00") ? day : `${day}, ${time.slice(0, 5)}`;
  }

  function buttonTo(label, page) {
    const button = element("button", "", label);
    button.type = "button";
    button.addEventListener("click", () => change({ page }));
    return button;
  }

  function itemOf(index, row, ids, written, words) {
    const document = {
      id: ids.get(row) || "", time: clock(index.times[row], precision(index)),
      label: index.labels && index.labels.codes[row] >= 0 ? index.labels.names[index.labels.codes[row]] : null,
      text: written.has(row) ? written.get(row) : "(text left out of this page)",
    };
    return documentItem(document, words);
  }

  // A few documents as a list, beside a figure.
  async function listDocuments(place, index, rows, words) {
    const { ids, texts: written } = await texts();
    place.replaceChildren(...rows.map((row) => itemOf(index, row, ids, written, words)));
  }

  // `rows` are documents in the order in which they are listed; `words` are marked in their texts.
  async function showDocuments(index, rows, words, page, heading, [back, on] = ["Earlier", "Later"]) {
    const { ids, texts: written } = await texts();
    const nPages = Math.max(1, Math.ceil(rows.length / perPage));
    const shown = Math.min(page, nPages);
    const first = (shown - 1) * perPage;
    byId("explore-documents-count").textContent =
      rows.length === 0 ? heading.none : `${heading.some(rows.length)}${nPages > 1 ? `, ${first + 1} to ${Math.min(first + perPage, rows.length)} shown` : ""}`;
    const items = Array.from(rows.slice(first, first + perPage), (row) => itemOf(index, row, ids, written, words));
    byId("explore-documents").replaceChildren(...items);
    const pager = byId("explore-pager");
    pager.replaceChildren();
    if (shown > 1) pager.append(buttonTo(back, shown - 1), " ");
    if (nPages > 1) pager.append(`page ${shown.toLocaleString("en")} of ${nPages.toLocaleString("en")} `);
    if (shown < nPages) pager.append(buttonTo(on, shown + 1));
  }

  Object.assign(driftline, { showDocuments, listDocuments, dateOf });
})();
