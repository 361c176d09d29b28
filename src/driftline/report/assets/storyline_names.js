"use strict";
// The names of storylines on a phone: two words or one where there is room for them, otherwise the number.
(() => {
  const perLetter = 6.6;
  const gap = 6;

  const place = (value) => (typeof value === "string" ? Date.parse(value) : value);

  // The ends of the time axis, over all streams.
  function ends(data) {
    let [first, last] = [Infinity, -Infinity];
    for (const trace of data) for (const value of trace.x || []) {
      first = Math.min(first, place(value));
      last = Math.max(last, place(value));
    }
    return [first, last];
  }

  // Annotations of one lane, from left to right; a name stands to the right of where its storyline begins, or to the left.
  function lane(notes, at, width) {
    let taken = 0;
    return notes.map((note, i) => {
      const x = at(note), end = i + 1 < notes.length ? at(notes[i + 1]) : width;
      const words = note.text.split(" ");
      const names = [words.slice(0, 2).join(" "), words[0], note.name];
      const length = (name) => perLetter * name.length + gap;
      const fits = (name) => x + length(name) <= end || x - length(name) >= taken;
      const text = names.find(fits) || note.name;
      const left = x + length(text) > end && x - length(text) >= taken;
      taken = left ? x : x + length(text);
      return { ...note, text, xanchor: left ? "right" : "left" };
    });
  }

  // Returns the annotations that fit into so many pixels, and with them the name of the last lane, which is its tick on
  // wider screens.
  driftline.storylineNames = ({ data, layout }, width) => {
    const [first, last] = ends(data);
    const at = (note) => (width * (place(note.x) - first)) / Math.max(last - first, 1e-9);
    const lanes = new Map();
    for (const note of layout.annotations) lanes.set(note.y, [...(lanes.get(note.y) || []), note]);
    const named = [...lanes.values()].flatMap((notes) => lane(notes.sort((a, b) => at(a) - at(b)), at, width));
    const others = layout.yaxis.tickvals.map((y, i) => ({
      x: 0, xref: "paper", y: y - 0.6, text: layout.yaxis.ticktext[i], showarrow: false, xanchor: "left", yanchor: "middle",
      font: { size: 11 },
    }));
    return [...named, ...others];
  };
})();
