"use strict";
// Every figure as PNG, SVG and CSV, and the findings as files: made in the browser, by a click.
(() => {
  const { byId, element } = driftline;

  function save(name, blob) {
    const link = element("a", "");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

  async function savePicture(place, name, format) {
    const { width, height } = place.getBoundingClientRect();
    const url = await Plotly.toImage(place, { format, width: Math.round(width), height: Math.round(height), scale: format === "png" ? 2 : 1 });
    const data = url.slice(url.indexOf(",") + 1);
    if (format === "png") save(`${name}.png`, new Blob([bytesOf(data)], { type: "image/png" }));
    else save(`${name}.svg`, new Blob([decodeURIComponent(data)], { type: "image/svg+xml" }));
  }

  // A spreadsheet evaluates cells that begin with =, +, − or @: such text gets an apostrophe, numbers do not.
  function cell(value) {
    if (value === null || value === undefined || (typeof value === "number" && Number.isNaN(value))) return "";
    let text = String(value);
    if (/^'*[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) text = `'${text}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  const csv = (rows) => rows.map((row) => row.map(cell).join(",") + "\r\n").join("");

  // Plotly keeps text as markup: what was escaped for it is text again.
  const plain = (text) => (typeof text === "string" ? text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&") : text);

  // The outline of a band goes along the top and back along the bottom; gaps separate polygons.
  function bandOf(trace) {
    const ends = new Map();
    let x = [];
    let y = [];
    const close = () => {
      const half = x.length / 2;
      for (let i = 0; i < half; i++) ends.set(String(x[i]), [y[y.length - 1 - i], y[i]]);
      x = [];
      y = [];
    };
    Array.from(trace.x).forEach((value, i) => {
      if (value === null || trace.y[i] === null) return close();
      x.push(value);
      y.push(trace.y[i]);
    });
    close();
    return ends;
  }

  function rowsOf(place) {
    const traces = place._fullData.filter((trace) => trace.visible === true);
    if (traces.some((trace) => trace.type === "heatmap")) {
      const rows = [["y", "x", "value"]];
      for (const trace of traces) {
        Array.from(trace.z).forEach((line, i) => Array.from(line).forEach((value, j) => rows.push([plain(trace.y[i]), trace.x[j], value])));
      }
      return rows;
    }
    const headings = (place.layout.annotations || []).map((each) => plain(each.text));
    const rows = [["series", "x", "y", "lower", "upper", "text"]];
    let band = new Map();
    for (const trace of traces) {
      if (trace.fill === "toself") {
        band = bandOf(trace);
        continue;
      }
      const panel = Number((trace.xaxis || "x").slice(1) || 1) - 1;
      const series = plain(/^trace \d+$/.test(trace.name) ? headings[panel] : trace.name);
      Array.from(trace.x || []).forEach((x, i) => {
        if (x === null) return;
        const [lower, upper] = band.get(String(x)) || [null, null];
        const told = trace.hovertext || trace.text;
        const text = Array.isArray(told) ? told[i] : told;
        rows.push([series, plain(x), plain(trace.y[i]), lower, upper, plain(text)]);
      });
      band = new Map();
    }
    return rows;
  }

  function tools(place, name) {
    const bar = element("p", "tools needs-script");
    const add = (label, work) => {
      const button = element("button", "", label);
      button.type = "button";
      button.setAttribute("aria-label", `Save this figure as ${label}: ${place.getAttribute("aria-label")}`);
      button.addEventListener("click", work);
      bar.append(button, " ");
    };
    add("PNG", () => savePicture(place, name, "png"));
    add("SVG", () => savePicture(place, name, "svg"));
    add("CSV", () => save(`${name}.csv`, new Blob([csv(rowsOf(place))], { type: "text/csv" })));
    place.after(bar);
  }

  async function savePacked(button) {
    const { file, type } = button.dataset;
    const packed = bytesOf(byId(button.dataset.packed).textContent.trim());
    const stream = new Blob([packed]).stream();
    const whole = button.dataset.compressed ? stream.pipeThrough(new DecompressionStream("deflate")) : stream;
    save(file, new Blob([await new Response(whole).arrayBuffer()], { type }));
  }

  for (const button of document.querySelectorAll("[data-packed]")) button.addEventListener("click", () => savePacked(button));
  Object.assign(driftline, { save, csv, tools, rowsOf });
})();
