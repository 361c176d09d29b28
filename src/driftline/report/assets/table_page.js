"use strict";
(() => {
  const figure = JSON.parse(document.getElementById("data-figure").textContent);
  const narrow = window.innerWidth < 640;
  if (narrow || window.matchMedia("(pointer: coarse)").matches) {
    // A finger must scroll the page, not zoom the figure.
    figure.layout.dragmode = false;
  }
  const options = { displayModeBar: false, responsive: true, showTips: false };
  Plotly.newPlot(document.getElementById("figure"), figure.data, figure.layout, options).then(() => {
    document.documentElement.dataset.ready = "true";
  });
})();
