"use strict";
// Elements made of plain text: nothing that comes from a document is ever parsed as markup.
window.driftline = (() => {
  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id).textContent);

  // Mark one word, or any of several, in a text.
  function highlighted(text, word) {
    const pieces = document.createDocumentFragment();
    const literals = [word].flat().map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/ /g, "\\W+"));
    const found = literals.length ? new RegExp(`(?<![\\p{L}\\p{N}_])(?:${literals.join("|")})(?![\\p{L}\\p{N}_])`, "giu") : /(?!)/g;
    let end = 0;
    for (const match of text.matchAll(found)) {
      pieces.append(text.slice(end, match.index));
      const mark = document.createElement("mark");
      mark.textContent = match[0];
      pieces.append(mark);
      end = match.index + match[0].length;
    }
    pieces.append(text.slice(end));
    return pieces;
  }

  function element(tag, className, ...children) {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...children);
    return made;
  }

  function isolated(text) {
    const made = document.createElement("bdi");
    made.textContent = text;
    return made;
  }

  function documentItem(example, word) {
    const head = element("p", "document-head", element("time", "", example.time), " ");
    if (example.label !== null) head.append(element("span", "label", isolated(example.label)), " ");
    head.append(element("span", "document-id", isolated(example.id)));
    const text = element("p", "document-text", highlighted(example.text, word));
    text.dir = "auto";
    const item = element("li", "document", head, text);
    const isBeyond = [word].flat().length > 0 && example.text.endsWith("…") && !text.querySelector("mark");
    if (isBeyond) item.append(element("p", "quiet", "The word is in the part of the text that is not shown."));
    return item;
  }

  // Plotly interprets some markup in every string; this is shown as it is.
  function figureText(text, longest = 40) {
    const short = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
    return short.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  }

  // Along the top of the band and back along the bottom; a new closed polygon after every gap in the data.
  function outline(times, curve) {
    const x = [];
    const y = [];
    let start = 0;
    curve.upper.forEach((_, i) => {
      const ends = i + 1 === curve.upper.length || curve.upper[i + 1] === null;
      if (curve.upper[i] === null) {
        start = i + 1;
      } else if (ends) {
        const piece = Array.from({ length: i + 1 - start }, (unused, k) => start + k);
        const back = [...piece].reverse();
        if (x.length) {
          x.push(null);
          y.push(null);
        }
        x.push(...piece.map((k) => times[k]), ...back.map((k) => times[k]));
        y.push(...piece.map((k) => curve.upper[k]), ...back.map((k) => curve.lower[k]));
      }
    });
    return { x, y };
  }

  return { byId, read, figureText, outline, element, isolated, highlighted, documentItem };
})();
