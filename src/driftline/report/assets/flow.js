"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const figure = JSON.parse(byId("data-figure").textContent);
  const flow = JSON.parse(byId("data-flow").textContent);
  const plot = byId("flow-plot");
  const narrow = window.innerWidth < 640;
  const touch = window.matchMedia("(pointer: coarse)").matches;
  let chosen = 0;
  let kept = false;

  if (touch || narrow) {
    // A finger must scroll the page, not zoom the figure.
    figure.layout.dragmode = false;
    figure.layout.xaxis.fixedrange = true;
  }
  if (narrow) {
    figure.layout.showlegend = false;
    figure.layout.yaxis.title = { text: "" };
    figure.layout.xaxis.nticks = 4;
  }

  function show(place) {
    chosen = Math.max(0, Math.min(place, flow.words.length - 1));
    const topic = flow.leading[chosen];
    const chapter = flow.chapterOf[chosen];
    byId("passage-colour").style.background = flow.colours[topic];
    byId("passage-topic").textContent = flow.names[topic];
    const where = `word ${(flow.words[chosen] + 1).toLocaleString("en")} of ${flow.total.toLocaleString("en")}`;
    byId("passage-place").textContent = chapter >= 0 ? `${flow.chapters[chapter]} · ${where}` : where;
    byId("passage-text").textContent = flow.passages[flow.passageOf[chosen]];
  }

  function mark() {
    const x = flow.words[chosen];
    const line = { type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line: { color: "#ffffff", width: 3 } };
    Plotly.relayout(plot, { shapes: [...(figure.layout.shapes || []), line] });
  }

  function keep(place) {
    kept = true;
    show(place);
    mark();
  }

  function neighbour(step) {
    const passage = flow.passageOf[chosen];
    let place = chosen;
    while (flow.passageOf[place] === passage && place + step >= 0 && place + step < flow.words.length) place += step;
    keep(place);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-place]");
    if (!button) return;
    keep(Number(button.dataset.place));
    byId("flow").scrollIntoView({ block: "start" });
  });
  byId("passage-before").addEventListener("click", () => neighbour(-1));
  byId("passage-after").addEventListener("click", () => neighbour(1));

  show(0);
  const options = { displayModeBar: false, responsive: true, showTips: false };
  Plotly.newPlot(plot, figure.data, figure.layout, options).then((drawn) => {
    drawn.on("plotly_hover", (event) => {
      if (!kept) show(event.points[0].pointIndex);
    });
    drawn.on("plotly_click", (event) => {
      if (kept && event.points[0].pointIndex === chosen) {
        kept = false;
        Plotly.relayout(plot, { shapes: figure.layout.shapes || [] });
      } else keep(event.points[0].pointIndex);
    });
    document.documentElement.dataset.ready = "true";
  });
})();
