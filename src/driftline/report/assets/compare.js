"use strict";
// Two sets of documents compared: chosen by dragging over the time axis, by date, label, author or source.
(() => {
  const { byId, element, isolated, current, change, compareSets, intervalOf, showDocuments, listDocuments, dateOf } = driftline;
  if (!byId("explore-compare")) return;
  const options = { displayModeBar: false, responsive: true, showTips: false };
  const listed = 25;
  const mostPoints = 2000;
  const bins = 120;
  // Written out: on a logarithmic axis the library writes 20 as 2
  const ticks = [0.001, 0.01, 0.1, 1, 10, 100].flatMap((power) => [1, 2, 5].map((digit) => Number((digit * power).toPrecision(1)))).concat(1000);

  const isChosen = (set) => Boolean(set.from || set.to || driftline.kinds.some((kind) => set[kind]));

  function sidesOf(index, state, rangeOf, selectionOf) {
    const maskFor = (set) => (isChosen(set) ? driftline.maskOf(index, { ...rangeOf(set), ...selectionOf(index, set) }) : null);
    const inA = maskFor(state.a);
    const inB = maskFor(state.b);
    // If nothing is selected, B is the rest; what is in both belongs to A
    return Uint8Array.from(index.document, (row, item) => (inA && inA[item] ? 1 : !inB || inB[item] ? 2 : 0));
  }

  // ---- the time axis -------------------------------------------------------------------------------------------

  function drawAxis(index, state) {
    const place = byId("compare-axis");
    const first = index.times[0];
    const width = Math.max((index.times[index.times.length - 1] - first) / bins, 1);
    const counts = new Float64Array(bins);
    index.times.forEach((time) => (counts[Math.min(Math.floor((time - first) / width), bins - 1)] += 1));
    const x = Array.from(counts, (unused, i) => dateOf(first + (i + 0.5) * width).replace("Z", ""));
    const [blue, orange] = driftline.palette();
    const shade = (set, colour) =>
      set.from || set.to
        ? [{ type: "rect", yref: "paper", y0: 0, y1: 1, layer: "below", line: { width: 0 }, fillcolor: driftline.faint(colour, 0.3),
             x0: set.from || x[0], x1: set.to ? `${set.to}T23:59:59` : x[bins - 1] }]
        : [];
    const layout = driftline.layoutOf(150, {
      dragmode: "select", selectdirection: "h", hovermode: false, bargap: 0.1,
      shapes: [...shade(state.a, blue), ...shade(state.b, orange)],
      xaxis: { type: "date", fixedrange: true }, yaxis: { fixedrange: true, nticks: 3 },
    });
    Plotly.react(place, [{ x, y: counts, type: "bar", name: "documents", marker: { color: driftline.isDark() ? "#8fa0af" : "#8a99a6" } }], layout, options);
    if (place.dataset.ready) return;
    place.dataset.ready = "true";
    driftline.tools(place, "documents-over-time");
    place.on("plotly_selected", (event) => {
      if (!event || !event.range) return;
      const [from, to] = event.range.x.map((time) => String(time).slice(0, 10));
      const side = document.querySelector("input[name=brush]:checked").value;
      change({ [side]: { ...current()[side], from, to } });
    });
  }

  // ---- the words -----------------------------------------------------------------------------------------------

  function digits(value) {
    if (value === Infinity) return "∞";
    return value >= 100 ? ">100" : value < 0.01 ? "<0.01" : value < 10 ? value.toFixed(value < 1 ? 2 : 1) : value.toFixed(0);
  }

  // Ratios are shown in the direction in which the word is more frequent.
  function rowOf(index, found, word, more) {
    const [low, high] = intervalOf(word, found);
    const [ratio, lower, upper] = more === "a" ? [word.ratio, low, high] : [1 / word.ratio, 1 / high, 1 / low];
    const button = element("button", "word", isolated(index.words[word.number]));
    button.type = "button";
    button.addEventListener("click", () => change({ word: index.words[word.number] }));
    const head = element("th", "", button);
    head.scope = "row";
    const cells = [
      ratio === Infinity ? `only here (${lower >= 100 ? "" : "over "}${digits(lower)})` : `${digits(ratio)} (${digits(lower)}–${digits(upper)})`,
      `${word.withA.toLocaleString("en")} : ${word.withB.toLocaleString("en")}`,
      word.q < 0.001 ? "< 0.001" : word.q.toPrecision(2),
    ];
    return element("tr", "", head, ...cells.map((text, i) => element("td", i === cells.length - 1 ? "number wide" : "number", text)));
  }

  function drawLists(index, found) {
    const last = new Set(index.last); // numbers, days and months
    const differing = found.words
      .filter((word) => word.q <= found.rate)
      .sort((x, y) => last.has(x.number) - last.has(y.number) || x.p - y.p);
    for (const side of ["a", "b"]) {
      const mine = differing.filter((word) => (side === "a") === (word.ratio > 1));
      byId(`compare-more-${side}`).tBodies[0].replaceChildren(...mine.slice(0, listed).map((word) => rowOf(index, found, word, side)));
      byId(`compare-more-${side}`).hidden = mine.length === 0;
      byId(`compare-none-${side}`).hidden = mine.length > 0;
    }
    return differing;
  }

  function drawScatter(index, found) {
    const place = byId("compare-plot");
    // All that differ, and the most frequent of the others
    const points = [...found.words]
      .sort((x, y) => (y.q <= found.rate) - (x.q <= found.rate) || y.withA + y.withB - x.withA - x.withB)
      .slice(0, mostPoints);
    const smoothed = (word) => Math.log2(((word.withA + 0.5) / (found.nA + 0.5) / (word.withB + 0.5)) * (found.nB + 0.5));
    const [blue, orange] = driftline.palette();
    const grey = driftline.isDark() ? "#6f7d8a" : "#a9b3bc";
    const trace = (name, colour, chosen) => ({
      type: "scatter", mode: "markers", name, marker: { color: colour, size: 6, opacity: 0.75 },
      x: chosen.map((word) => (1000 * (word.withA + word.withB)) / (found.nA + found.nB)), y: chosen.map(smoothed),
      text: chosen.map((word) => driftline.figureText(index.words[word.number])), customdata: chosen.map((word) => [word.withA, word.withB, word.number]),
      hovertemplate: "%{text}: %{customdata[0]} in A, %{customdata[1]} in B<extra></extra>",
    });
    const differs = (word) => word.q <= found.rate;
    const traces = [
      trace("no difference shown", grey, points.filter((word) => !differs(word))),
      trace("more in A", blue, points.filter((word) => differs(word) && word.ratio > 1)),
      trace("more in B", orange, points.filter((word) => differs(word) && !(word.ratio > 1))),
    ];
    const noun = byId("explore-noun").textContent;
    const layout = driftline.layoutOf(380, {
      hovermode: "closest", showlegend: true, legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" }, dragmode: false,
      xaxis: { type: "log", tickvals: ticks, ticktext: ticks.map((value) => value.toLocaleString("en")), title: { text: `of 1,000 ${noun} of A and B` } },
      yaxis: { rangemode: "normal", title: { text: "log₂ of the ratio A : B" } },
    });
    Plotly.react(place, traces, layout, options);
    if (place.dataset.ready) return;
    place.dataset.ready = "true";
    driftline.tools(place, "comparison");
    place.on("plotly_hover", (event) => showHovered(event.points[0].customdata[2]));
    place.on("plotly_click", async (event) => {
      const words = (await driftline.words()).words;
      change({ word: words[event.points[0].customdata[2]] });
    });
  }

  // A document of A and one of B with the word under the pointer.
  function showHovered(number) {
    const { index, side } = last;
    const items = driftline.itemsWith(index, number, null);
    const rows = [1, 2].map((which) => items.find((item) => side[item] === which)).filter((item) => item !== undefined);
    const place = byId("compare-hovered");
    return listDocuments(place, index, rows.map((item) => index.document[item]), [index.words[number]]);
  }

  // A unit may consist of several days, where they have few documents.
  function hasMergedDays({ index, side, found }) {
    const days = [new Set(), new Set()];
    side.forEach((which, item) => which && days[which - 1].add(Math.floor(index.times[index.document[item]] / 86400)));
    return byId("compare-unit").textContent === "day" && days.some((each, i) => each.size > found.units[i]);
  }

  function sentence(found, differing) {
    const n = (value) => value.toLocaleString("en");
    const noun = byId("explore-noun").textContent;
    const unit = byId("compare-unit").textContent;
    const together = hasMergedDays(last) ? `, several together where they have few ${byId("explore-documents-noun").textContent},` : "";
    const units = `${unit}s${together} are the independent units`;
    const numbers = `${n(found.units[0])} and ${n(found.units[1])}`;
    if (found.smallest > found.rate) {
      return `A has ${n(found.nA)} ${noun}, B has ${n(found.nB)}. The ${units}, and ${numbers} are too few to distinguish a difference from chance; choose longer periods.`;
    }
    const how = `${units} (${numbers})`;
    return `A has ${n(found.nA)} ${noun}, B has ${n(found.nB)}. ${n(differing.length)} of ${n(found.words.length)} words tested ${differing.length === 1 ? "differs" : "differ"}, at a false discovery rate of 5 %; ${how}.`;
  }

  // What the page offers to choose a set by, besides the time axis
  function choices(index) {
    const found = ["dates", ...driftline.kinds.filter((kind) => index[`${kind}s`]).map((kind) => `${kind === "author" ? "an" : "a"} ${kind}`)];
    return found.length > 1 ? `${found.slice(0, -1).join(", ")} or ${found.at(-1)}` : found[0];
  }

  let last = null;

  async function drawComparison(index, state, rangeOf, selectionOf) {
    drawAxis(index, state);
    const chosen = isChosen(state.a);
    const side = sidesOf(index, state, rangeOf, selectionOf);
    const has = (which) => side.includes(which);
    byId("compare-result").hidden = !(chosen && has(1) && has(2));
    byId("compare-summary").textContent = !chosen
      ? `Choose A: drag over the time axis, or pick ${choices(index)}. If nothing is selected for B, it is all the rest.`
      : has(1) && has(2) ? "" : `Set ${has(1) ? "B" : "A"} has no documents.`;
    byId("explore-documents-count").textContent = "";
    byId("explore-documents").replaceChildren();
    byId("explore-pager").replaceChildren();
    const hasWord = Boolean(state.word) && index.numberOf.has(state.word);
    byId("explore-documents-title").hidden = byId("compare-result").hidden || !hasWord;
    if (byId("compare-result").hidden) return;
    const key = JSON.stringify([state.a, state.b]);
    if (!last || last.key !== key) byId("compare-hovered").replaceChildren();
    if (!last || last.key !== key) last = { key, found: compareSets(index, side), index, side };
    const { found } = last;
    byId("compare-summary").textContent = sentence(found, drawLists(index, found));
    drawScatter(index, found);
    if (!hasWord) return;
    const rows = driftline.rowsWith(index, [state.word], side.map((which) => (which ? 1 : 0)));
    const noun = byId("explore-documents-noun").textContent;
    const heading = { none: `No ${noun} of A or B have “${state.word}”.`, some: (n) => `${n.toLocaleString("en")} ${noun} of A and B with “${state.word}”` };
    await showDocuments(index, rows, [state.word], state.page, heading);
  }

  Object.assign(driftline, { drawComparison });
})();
