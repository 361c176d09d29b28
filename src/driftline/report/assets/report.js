"use strict";
(() => {
  const { byId, read, element, documentItem } = driftline;
  const figures = driftline.figuresIn(driftline.isDark());
  const book = read("data-words");
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const touch = window.matchMedia("(pointer: coarse)").matches;
  const narrow = () => window.innerWidth < 640;
  const options = { displayModeBar: false, responsive: true, showTips: false };
  const printWidth = 680;

  // ---- figures -------------------------------------------------------------------------------------------------

  const panelHeight = 184;

  // Panels side by side are too narrow for a phone: they are put below each other, each under its heading. Times of
  // day have the date below them, so that there must be space for two lines of labels.
  function stacked(layout) {
    const headings = layout.annotations;
    const n = headings.length;
    const height = n * panelHeight;
    const axis = (letter, i) => `${letter}axis${i ? i + 1 : ""}`;
    headings.forEach((heading, i) => {
      const [bottom, top] = [1 - (i + 1) / n, 1 - i / n];
      layout[axis("x", i)] = { ...layout[axis("x", i)], domain: [0, 1], nticks: 5 };
      layout[axis("y", i)] = { ...layout[axis("y", i)], domain: [bottom + 38 / height, top - 28 / height] };
      Object.assign(heading, { x: 0.5, xanchor: "center", y: top - 26 / height, yanchor: "bottom" });
    });
    for (let i = n; layout[axis("x", i)]; i++) for (const letter of "xy") delete layout[axis(letter, i)];
    Object.assign(layout, { height, margin: { ...layout.margin, t: 8 } });
  }

  function fitted(name) {
    const figure = figures[name];
    const layout = figure.layout;
    if (touch || narrow()) {
      // A finger must scroll the page, not zoom the figure.
      layout.dragmode = false;
      for (const axis of ["xaxis", "yaxis"]) layout[axis] = { ...layout[axis], fixedrange: true };
    }
    if (name === "storylines" && narrow()) {
      layout.annotations = driftline.storylineNames(figure, window.innerWidth - 64);
      layout.yaxis = { ...layout.yaxis, showticklabels: false };
      layout.margin = { ...layout.margin, l: 8, r: 8 };
    } else if (name === "storylines" && window.innerWidth < 1100) {
      // The lanes have room for all words of a label only on a wide screen.
      layout.annotations = layout.annotations.map((each) => ({ ...each, text: each.text.split(" ").slice(0, 2).join(" ") }));
    }
    if (narrow() && layout.meta === "panels") {
      if (layout.xaxis2) stacked(layout);
    } else if (narrow()) {
      if (name !== "storylines") layout.annotations = [];
      layout.xaxis = { ...layout.xaxis, nticks: 4, tickangle: 0 };
      layout.yaxis = { ...layout.yaxis, title: { text: "" } };
      if (name === "strips") {
        figure.data[0].colorbar = { ...figure.data[0].colorbar, len: 0.8, x: 0.5, xanchor: "center" };
        layout.yaxis.tickfont = { size: 11 };
      }
    }
    return figure;
  }

  function draw(place) {
    const name = place.dataset.figure;
    if (!figures[name]) return null;
    const { data, layout } = fitted(name);
    return Plotly.newPlot(place, data, layout, options);
  }

  const plots = [...document.querySelectorAll(".plot[data-figure]")];

  // ---- a word close up -----------------------------------------------------------------------------------------

  const panel = byId("close-up");
  let cameFrom = null;

  function showCurve(page) {
    const place = panel.querySelector(".plot");
    const { data, layout } = fitted("close-up");
    const [band, line, truth] = data;
    const times = book.times[page.curve.times];
    Object.assign(band, driftline.outline(times, page.curve));
    const customdata = page.curve.lower.map((low, i) => [low, page.curve.upper[i]]);
    Object.assign(line, { x: times, y: page.curve.value, customdata });
    const real = page.truth;
    Object.assign(truth, { visible: real !== null, x: real ? book.times[real.times] : [], y: real ? real.value : [] });
    // Bursts narrower than the smoothing are marked, since the curve blurs them.
    layout.shapes = page.bursts.map(([x0, x1]) => ({
      type: "rect", yref: "paper", x0, x1, y0: 0, y1: 1, layer: "below", line: { width: 0 }, fillcolor: "rgba(201, 90, 23, 0.16)",
    }));
    layout.datarevision = (layout.datarevision || 0) + 1;
    Plotly.react(place, data, layout, options);
    if (place.dataset.tools) return;
    place.dataset.tools = "true";
    driftline.tools(place, "word");
  }

  function open(number, { reveal = true } = {}) {
    const page = book.words[number];
    if (!page || !panel) return;
    byId("close-up-word").textContent = page.word;
    const pattern = byId("close-up-pattern");
    pattern.textContent = page.pattern;
    pattern.className = `pattern pattern-${page.pattern}`;
    const label = byId("close-up-label");
    label.hidden = page.label === null;
    label.textContent = page.label === null ? "" : `within ${page.label}`;
    byId("close-up-sentence").textContent = page.sentence;
    byId("close-up-facts").textContent = page.facts;
    const explore = byId("close-up-explore");
    explore.hidden = !byId("explore-words");
    explore.href = driftline.hashOf({ ...driftline.stateOf(""), words: [page.word], label: page.label || "" });
    const documents = byId("close-up-documents");
    documents.replaceChildren(...page.examples.map((example) => documentItem(example, page.word)));
    documents.previousElementSibling.hidden = page.examples.length === 0;
    for (const row of document.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
    for (const button of document.querySelectorAll(`th[scope=row] button[data-word="${number}"]`)) button.closest("tr").classList.add("chosen");
    showCurve(page);
    if (reveal) revealPanel();
  }

  function revealPanel() {
    const box = panel.getBoundingClientRect();
    const away = box.bottom < 160 || box.top > window.innerHeight - 160;
    byId("close-up-return").hidden = !away;
    if (!away) return;
    cameFrom = document.activeElement;
    panel.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
    panel.focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-word]");
    if (button) open(Number(button.dataset.word));
  });

  function goBack() {
    byId("close-up-return").hidden = true;
    if (!cameFrom) return;
    cameFrom.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "center" });
    cameFrom.focus({ preventScroll: true });
  }

  // ---- the table: sort, filter, show all -----------------------------------------------------------------------

  function sortable(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const kind = head.dataset.sort;
      if (!kind) return;
      const button = element("button", "sort", ...head.childNodes);
      button.type = "button";
      head.append(button);
      button.addEventListener("click", () => {
        const falling = head.getAttribute("aria-sort") === "descending" || (kind === "text" && !head.hasAttribute("aria-sort"));
        const sign = falling ? 1 : -1;
        const key = (row) => (kind === "number" ? Number(row.cells[column].dataset.value) : row.cells[column].textContent.trim());
        const order = (a, b) => (kind === "number" ? a - b : a.localeCompare(b));
        body.append(...[...body.rows].sort((a, b) => sign * order(key(a), key(b))));
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", falling ? "ascending" : "descending");
        filter();
      });
    });
  }

  const fewRows = 22;
  let allShown = false;

  function filter() {
    const table = byId("table-words");
    if (!table) return;
    const text = byId("filter-text").value.trim().toLowerCase();
    const pattern = byId("filter-pattern").value;
    const rows = [...table.tBodies[0].rows];
    const fitting = rows.filter(
      (row) => (!pattern || row.dataset.pattern === pattern) && row.cells[0].textContent.toLowerCase().includes(text)
    );
    const shown = new Set(allShown ? fitting : fitting.slice(0, fewRows));
    for (const row of rows) row.hidden = !shown.has(row);
    const button = byId("show-all");
    button.hidden = fitting.length <= fewRows;
    button.textContent = allShown ? "Show fewer" : `Show all ${fitting.length} words`;
    byId("filter-count").textContent = `${shown.size} of ${rows.length} ${rows.length === 1 ? "word" : "words"} shown`;
  }

  // ---- labels --------------------------------------------------------------------------------------------------

  function chooseLabel() {
    const chosen = byId("choose-label").value;
    for (const part of document.querySelectorAll(".label-part")) part.hidden = part.dataset.label !== chosen;
  }

  // ---- print ---------------------------------------------------------------------------------------------------

  function resize(width) {
    for (const plot of plots) {
      if (!plot.layout) continue;
      const fit = width === null ? plot.clientWidth : width - (panel && panel.contains(plot) ? 50 : 0);
      Plotly.relayout(plot, { width: fit, autosize: width === null });
    }
  }

  // Paper is light: figures that were drawn for a dark screen are drawn again.
  function recolour(dark) {
    if (!driftline.isDark()) return;
    const drawn = driftline.figuresIn(dark);
    for (const place of plots) {
      const figure = drawn[place.dataset.figure];
      if (!place.layout || !figure || (panel && panel.contains(place))) continue;
      Plotly.react(place, figure.data, { ...figure.layout, width: place.layout.width }, options);
    }
  }

  window.addEventListener("beforeprint", () => {
    recolour(false);
    resize(printWidth);
  });
  window.addEventListener("afterprint", () => {
    recolour(true);
    resize(null);
  });

  // ---- begin ---------------------------------------------------------------------------------------------------

  if (byId("table-words")) {
    sortable(byId("table-words"));
    byId("filter-text").addEventListener("input", filter);
    byId("filter-pattern").addEventListener("change", filter);
    byId("show-all").addEventListener("click", () => {
      allShown = !allShown;
      filter();
    });
    byId("close-up-return").addEventListener("click", goBack);
    filter();
  }
  if (byId("choose-label")) {
    byId("choose-label").addEventListener("change", chooseLabel);
    chooseLabel();
  }

  const waiting = plots.filter((plot) => !panel || !panel.contains(plot));
  const whenIdle = window.requestIdleCallback || ((work) => setTimeout(work, 1));
  let openExplorer = driftline.openExplorer || null;

  function inView(place) {
    const box = place.getBoundingClientRect();
    return box.top < window.innerHeight && box.bottom > 0;
  }

  function drawn(place) {
    return Promise.resolve(draw(place)).then((plot) => {
      if (!plot) return;
      driftline.tools(place, place.dataset.figure);
      if (place.dataset.figure !== "strips") return;
      const numbers = figures.strips.layout.meta;
      plot.on("plotly_click", (event) => open(numbers[event.points[0].customdata[1]]));
    });
  }

  function explored() {
    const work = openExplorer;
    openExplorer = null;
    return work ? Promise.resolve(work()) : null;
  }

  // What the reader sees comes first: the figures in view, then the explorer, then the other figures, one at a time.
  function drawNext() {
    const first = waiting.findIndex(inView);
    if (first >= 0) return drawn(waiting.splice(first, 1)[0]).then(drawNext);
    document.documentElement.dataset.open = "true";
    if (openExplorer) return explored().finally(() => whenIdle(drawNext));
    if (waiting.length) return drawn(waiting.shift()).then(() => whenIdle(drawNext));
    document.documentElement.dataset.ready = "true";
    return null;
  }

  if (panel && book.words.length) open(0, { reveal: false });
  // A link into the explorer is answered before any figure is drawn.
  if (openExplorer && driftline.current().here) explored().finally(drawNext);
  else drawNext();
})();
