"use strict";
// Any counted word: its curve among the documents of a selection, beside up to four others, and its documents.
(() => {
  const { byId, element, isolated, words, current, change, hashOf, showDocuments, dateOf } = driftline;
  if (!byId("explore-words")) return;
  const section = byId("explore");
  const options = { displayModeBar: false, responsive: true, showTips: false };
  const perThousand = 1000;
  const day = 86400;
  const windows = new Map();

  // −1 stands for any label, −2 for one that no document has.
  function codeOf(groups, name) {
    if (!name) return -1;
    const code = groups ? groups.names.indexOf(name) : -1;
    return code < 0 ? -2 : code;
  }

  // Days as the reader writes them, from the first second of one to the last of another.
  function rangeOf({ from, to }) {
    return { from: from ? Date.parse(from) / 1000 : -Infinity, to: to ? Date.parse(to) / 1000 + day : Infinity };
  }

  const selectionOf = (index, state) => Object.fromEntries(driftline.kinds.map((kind) => [kind, codeOf(index[`${kind}s`], state[kind])]));

  function windowsFor(index, state) {
    const key = JSON.stringify(driftline.kinds.map((kind) => state[kind]));
    if (!windows.has(key)) {
      const mask = driftline.maskOf(index, selectionOf(index, state));
      windows.set(key, { mask, ...driftline.windowsOf(index, mask) });
    }
    return windows.get(key);
  }

  // What did not fit into the page, as the footer says it.
  const leftOut = () => (byId("left-out") ? byId("left-out").textContent : "");

  // ---- the search box ------------------------------------------------------------------------------------------

  // Counted words are in lower case and composed (NFC); what is typed or pasted may not be.
  const asCounted = (typed) => typed.trim().normalize("NFC").toLowerCase();
  const mostSuggested = 12;

  function matching(index, typed) {
    const text = asCounted(typed);
    if (!text) return [];
    const size = (number) => index.offsets[number + 1] - index.offsets[number];
    const found = [];
    index.words.forEach((word, number) => {
      const place = word.indexOf(text);
      if (place >= 0) found.push([word === text ? 0 : place === 0 ? 1 : 2, -size(number), number]);
    });
    return found.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , number]) => number);
  }

  function suggest(index) {
    const box = byId("explore-search");
    const found = matching(index, box.value);
    const list = byId("explore-suggestions");
    list.replaceChildren(
      ...found.slice(0, mostSuggested).map((number) => {
        const n = index.offsets[number + 1] - index.offsets[number];
        const button = element("button", "suggestion", isolated(index.words[number]), " ", element("small", "", `${n.toLocaleString("en")}`));
        button.type = "button";
        button.addEventListener("click", () => choose(index.words[number]));
        return element("li", "", button);
      })
    );
    byId("explore-found").textContent = box.value.trim() ? matchesInWords(found.length) : "";
  }

  function matchesInWords(n) {
    if (n === 0) return leftOut() ? "No word in this page matches; some are left out of it." : "No counted word matches.";
    const all = `${n.toLocaleString("en")} ${n === 1 ? "word matches" : "words match"}`;
    return n > mostSuggested ? `${all}; ${mostSuggested} are listed` : all;
  }

  function choose(word) {
    byId("explore-search").value = "";
    byId("explore-suggestions").replaceChildren();
    byId("explore-found").textContent = "";
    const { words: chosen } = current();
    if (chosen.includes(word)) return;
    const kept = [...chosen, word].slice(-driftline.mostWords);
    const removed = chosen.filter((each) => !kept.includes(each));
    if (removed.length) byId("explore-found").textContent = `At most ${driftline.mostWords} words are compared: “${removed[0]}” was removed.`;
    change({ tab: "words", words: kept });
  }

  function chips(index, state) {
    byId("explore-chosen").replaceChildren(
      ...state.words.map((word, i) => {
        const swatch = element("span", "swatch");
        swatch.style.background = driftline.palette()[i];
        const button = element("button", "chip", swatch, isolated(word), " ×");
        button.type = "button";
        button.setAttribute("aria-label", `Remove ${word}`);
        button.addEventListener("click", () => change({ words: current().words.filter((each) => each !== word) }));
        return element("li", "", button);
      })
    );
    byId("explore-chosen").hidden = state.words.length === 0;
  }

  // A number of days, or of hours or minutes if it is less than one.
  function duration(days) {
    const [unit, perDay] = days >= 1 ? ["day", 1] : 24 * days >= 1 ? ["hour", 24] : ["minute", 1440];
    const amount = Number((perDay * days).toPrecision(3));
    return `${amount.toLocaleString("en")} ${unit}${amount === 1 ? "" : "s"}`;
  }

  // ---- the curves ----------------------------------------------------------------------------------------------

  function curvesOf(index, state) {
    const known = windowsFor(index, state);
    return state.words
      .filter((word) => index.numberOf.has(word))
      .map((word) => ({ word, ...driftline.wordCurve(index, index.numberOf.get(word), known.mask, known) }));
  }

  function tracesOf(index, curves) {
    const times = Array.from(index.when, (time) => dateOf(time * day).replace("Z", ""));
    const scaled = (values) => values.map((value) => (Number.isNaN(value) ? null : perThousand * value));
    return curves.flatMap((curve, i) => {
      const colour = driftline.palette()[i];
      const [value, lower, upper] = [curve.value, curve.lower, curve.upper].map(scaled);
      const band = driftline.outline(times, { lower, upper });
      const hover = "%{y:.3~g} (%{customdata[0]:.3~g}–%{customdata[1]:.3~g})";
      return [
        { ...band, type: "scatter", mode: "lines", fill: "toself", fillcolor: driftline.faint(colour), line: { width: 0 }, hoverinfo: "skip", showlegend: false },
        { x: times, y: value, type: "scatter", mode: "lines", name: driftline.figureText(curve.word), line: { color: colour, width: 2 }, customdata: lower.map((low, k) => [low, upper[k]]), hovertemplate: hover },
      ];
    });
  }

  function drawCurves(index, state) {
    const place = byId("explore-plot");
    const curves = curvesOf(index, state);
    byId("explore-figure").hidden = curves.length === 0;
    byId("explore-hint").hidden = curves.length > 0;
    if (!curves.length) return;
    const range = state.from && state.to ? { range: [state.from, `${state.to}T23:59:59`] } : {};
    const layout = driftline.layoutOf(300, {
      showlegend: curves.length > 1, legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
      hovermode: "x unified", dragmode: window.matchMedia("(pointer: coarse)").matches ? false : "zoom",
      xaxis: { type: "date", hoverformat: place.dataset.dates, ...range }, yaxis: { title: { text: `of 1,000 ${byId("explore-noun").textContent}` }, fixedrange: true },
    });
    Plotly.react(place, tracesOf(index, curves), layout, options);
    byId("explore-facts").textContent = curves
      .map((curve) => `“${curve.word}”: averaged over ${duration(curve.bandwidth)} on either side`)
      .join("; ");
    if (!place.dataset.tools) {
      place.dataset.tools = "true";
      driftline.tools(place, "words");
      place.on("plotly_relayout", (event) => {
        if (event["xaxis.autorange"]) change({ from: "", to: "" });
        else if (event["xaxis.range[0]"]) change({ from: event["xaxis.range[0]"].slice(0, 10), to: event["xaxis.range[1]"].slice(0, 10) });
      });
    }
  }

  // ---- the documents -------------------------------------------------------------------------------------------

  function rowsOf(index, names, mask) {
    const rows = new Set();
    if (!names.length) index.document.forEach((row, item) => (mask === null || mask[item]) && rows.add(row));
    for (const word of names) {
      if (index.numberOf.has(word)) for (const item of driftline.itemsWith(index, index.numberOf.get(word), mask)) rows.add(index.document[item]);
    }
    return Uint32Array.from(rows).sort();
  }

  // The documents with most of the words first, a rare word counting more than a frequent one; ties in the order of time.
  function bestFirst(index, names, rows, mask) {
    const score = new Float64Array(index.times.length);
    for (const word of names.filter((each) => index.numberOf.has(each))) {
      const number = index.numberOf.get(word);
      const having = new Set(Array.from(driftline.itemsWith(index, number, mask), (item) => index.document[item]));
      const weight = Math.log(1 + index.document.length / (index.offsets[number + 1] - index.offsets[number]));
      for (const row of having) score[row] += weight;
    }
    return rows.sort((a, b) => score[b] - score[a] || a - b);
  }

  function drawDocuments(index, state) {
    byId("explore-documents-title").hidden = false;
    const mask = driftline.maskOf(index, { ...rangeOf(state), ...selectionOf(index, state) });
    const found = rowsOf(index, state.words, mask);
    const rows = state.order === "best" ? bestFirst(index, state.words, found, mask) : found;
    const noun = byId("explore-documents-noun").textContent;
    const heading = { none: `No ${noun} match.`, some: (n) => `${n.toLocaleString("en")} ${noun}` };
    return showDocuments(index, rows, state.words, state.page, heading, state.order === "best" ? ["Previous", "Next"] : undefined);
  }

  // ---- filters, tabs, links ------------------------------------------------------------------------------------

  function fillSelect(select, groups) {
    if (!groups || select.options.length > 1) return;
    groups.names.forEach((name) => select.add(new Option(name.length > 60 ? `${name.slice(0, 59)}…` : name, name)));
    select.closest("label").hidden = false;
  }

  function fillControls(index, state) {
    for (const select of section.querySelectorAll("select[data-group]")) fillSelect(select, index[select.dataset.group]);
    for (const field of section.querySelectorAll("[data-state]")) {
      const [side, name] = field.dataset.state.split(".");
      const value = name ? state[side][name] : state[side];
      if (field.value !== value) field.value = value;
    }
  }

  function showTab(tab) {
    for (const button of section.querySelectorAll("[role=tab]")) {
      const chosen = button.dataset.tab === tab;
      button.setAttribute("aria-selected", chosen);
      button.tabIndex = chosen ? 0 : -1;
      byId(button.getAttribute("aria-controls")).hidden = !chosen;
    }
  }

  async function copyLink() {
    const link = window.location.href.split("#")[0] + hashOf(current());
    const field = byId("explore-link");
    try {
      await navigator.clipboard.writeText(link);
      byId("explore-copied").textContent = "Copied.";
    } catch {
      field.hidden = false;
      field.value = link;
      field.select();
      byId("explore-copied").textContent = "Copy it from the field.";
    }
  }

  let drawing = 0;

  async function show() {
    const state = current();
    const mine = ++drawing;
    showTab(state.tab);
    if (typeof DecompressionStream === "undefined") {
      byId("explore-status").textContent = "This browser is too old to unpack the words of the page.";
      return;
    }
    const index = await words();
    if (mine !== drawing) return;
    byId("explore-status").replaceChildren(...(byId("left-out")?.cloneNode(true).childNodes ?? []));
    fillControls(index, state);
    chips(index, state);
    if (state.tab === "words") {
      drawCurves(index, state);
      await drawDocuments(index, state);
    } else {
      await driftline.drawComparison(index, state, rangeOf, selectionOf);
    }
    if (mine === drawing) section.dataset.shown = window.location.hash;
  }

  function begin() {
    section.tabIndex = -1;
    byId("explore-search").addEventListener("input", async () => suggest(await words()));
    byId("explore-search").addEventListener("keydown", async (event) => {
      if (event.key === "Escape") event.target.value = "";
      else if (event.key !== "Enter") return;
      event.preventDefault();
      const index = await words();
      const [first] = matching(index, event.target.value);
      if (event.key === "Enter" && first !== undefined) choose(index.words[first]);
      else suggest(index);
    });
    for (const field of section.querySelectorAll("[data-state]")) {
      field.addEventListener("change", () => {
        const [side, name] = field.dataset.state.split(".");
        change(name ? { [side]: { ...current()[side], [name]: field.value } } : { [side]: field.value });
      });
    }
    const tabs = [...section.querySelectorAll("[role=tab]")];
    tabs.forEach((button, i) => {
      button.addEventListener("click", () => change({ tab: button.dataset.tab }));
      button.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = tabs[(i + step + tabs.length) % tabs.length];
        next.focus();
        change({ tab: next.dataset.tab });
      });
    });
    byId("explore-copy").addEventListener("click", copyLink);
    // The browser finds no element of that name: links from elsewhere on the page lead here only by this.
    document.addEventListener("click", (event) => {
      const link = event.target.closest(`a[href^="#explore?"]`);
      if (!link) return;
      section.scrollIntoView();
      section.focus({ preventScroll: true });
    });
    window.addEventListener("hashchange", () => {
      byId("explore-copied").textContent = "";
      if (current().here) show();
    });
  }

  // Unpacked when the page is idle, or at once if the address requests it.
  function openExplorer() {
    if (current().here) section.scrollIntoView();
    return show();
  }

  begin();
  Object.assign(driftline, { openExplorer, matching, rangeOf, rowsWith: rowsOf });
})();
