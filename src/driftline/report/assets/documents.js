"use strict";
// All documents of a selection, a page at a time.
(() => {
  const { byId, element, documentItem, texts, change } = driftline;
  const perPage = 20;

  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

  const dateOf = (seconds) => new Date(seconds * 1000).toISOString();

  // A date as in the rest of the page; exactly midnight means that only the date was known.
  function clock(seconds) {
    const date = new Date(seconds * 1000);
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
      id: ids.get(row) || "", time: clock(index.times[row]),
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
