"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("data-figure").textContent);
  const narrow = window.innerWidth < 640;
  const options = { displayModeBar: false, responsive: true, showTips: false };
  const drawn = figures.map((figure, number) => {
    if (narrow || window.matchMedia("(pointer: coarse)").matches) {
      // A finger must scroll the page, not zoom the figure.
      figure.layout.dragmode = false;
    }
    const place = document.getElementById(number ? `figure-${number}` : "figure");
    return Plotly.newPlot(place, figure.data, figure.layout, options);
  });
  Promise.all(drawn).then(() => {
    document.documentElement.dataset.ready = "true";
  });
})();
