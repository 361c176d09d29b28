"use strict";
// Colours of figures: they follow the colour scheme of the system, and are light on paper.
(() => {
  const { byId } = driftline;
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  // Whole strings only, so that a document which mentions a colour is shown as it is.
  const darker = {
    "#0b6a9f": "#62b6e7", "#b84a0a": "#f0914f", "#1d2733": "#e6eaee", "#5d6b7a": "#a9b5c0", "#dfe3e6": "#37424d",
    "#ffffff": "#1d242c", "#faf8f3": "#232b34", "rgba(11, 106, 159, 0.18)": "rgba(98, 182, 231, 0.24)",
    "#cf5a13": "#e0702a", "#12856a": "#3fb795", "#a4508b": "#cf86bb", "#b8860b": "#d9a92f", "#7a5c3e": "#b89573",
    "rgba(255, 255, 255, 0.65)": "rgba(20, 25, 31, 0.65)", "rgba(11, 106, 159, 0.35)": "rgba(98, 182, 231, 0.35)",
    "#bccad5": "#4d687c", "#e3e9ec": "#35444f", "#fbd9a5": "#6d4726", "#f08c42": "#cf6d22", "#aa300a": "#ffb877",
  };

  const palettes = {
    light: ["#0b6a9f", "#b84a0a", "#2a7d4f", "#8a3d8f", "#6b5d00"],
    dark: ["#62b6e7", "#f0914f", "#6fcf97", "#d694dc", "#d9c84a"],
  };

  const isDark = () => scheme.matches;

  function figuresIn(dark) {
    let text = byId("data-figures").textContent;
    if (dark) for (const [from, to] of Object.entries(darker)) text = text.replaceAll(JSON.stringify(from), JSON.stringify(to));
    return JSON.parse(text);
  }

  function faint(colour, opacity = 0.18) {
    const [red, green, blue] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
    return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
  }

  // The layout of figures that are made in the browser.
  function layoutOf(height, extra, dark = isDark()) {
    const [ink, muted, rule, paper] = dark ? ["#e6eaee", "#a9b5c0", "#37424d", "#1d242c"] : ["#1d2733", "#5d6b7a", "#dfe3e6", "#ffffff"];
    const axis = { gridcolor: rule, linecolor: rule, zeroline: false, automargin: true, tickfont: { size: 12, color: muted }, title: { font: { size: 12, color: muted } } };
    const { xaxis = {}, yaxis = {}, ...rest } = extra;
    const font = { family: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif", color: ink };
    return {
      height, font: { ...font, size: 13 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false,
      margin: { l: 8, r: 12, t: 16, b: 8 }, hoverlabel: { bgcolor: paper, bordercolor: rule, font: { ...font, size: 12 } },
      xaxis: { ...axis, showgrid: false, ...xaxis, title: { ...axis.title, ...xaxis.title } },
      yaxis: { ...axis, rangemode: "tozero", nticks: 6, ...yaxis, title: { ...axis.title, ...yaxis.title } },
      ...rest,
    };
  }

  // Figures that are drawn cannot change their colours alone: the page is opened again, at the same place.
  scheme.addEventListener("change", () => window.location.reload());

  Object.assign(driftline, { isDark, figuresIn, faint, layoutOf, palette: (dark = isDark()) => palettes[dark ? "dark" : "light"] });
})();
