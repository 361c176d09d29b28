"use strict";
// What is explored is in the fragment of the address: it can be linked, copied, and undone by the back button.
(() => {
  const prefix = "#explore";
  const most = 5;
  // What documents are chosen by, besides their time; the words of the page have the names in the plural
  const kinds = ["label", "author", "source"];

  // An address may contain anything; what is not a date is ignored.
  const dayOf = (text) => (/^\d{4}-\d\d-\d\d$/.test(text || "") && !Number.isNaN(Date.parse(text)) ? text : "");

  function stateOf(hash) {
    const given = new URLSearchParams(hash.startsWith(`${prefix}?`) ? hash.slice(prefix.length + 1) : "");
    const set = (prefix) => ({
      from: dayOf(given.get(`${prefix}from`)), to: dayOf(given.get(`${prefix}to`)),
      ...Object.fromEntries(kinds.map((kind) => [kind, given.get(`${prefix}${kind}`) || ""])),
    });
    return {
      here: hash === prefix || hash.startsWith(`${prefix}?`),
      tab: given.get("tab") === "compare" ? "compare" : "words",
      words: [...new Set(given.getAll("w"))].slice(0, most),
      ...set(""),
      order: given.get("order") === "best" ? "best" : "",
      page: Math.max(1, Number.parseInt(given.get("page"), 10) || 1),
      a: set("a."), b: set("b."),
      word: given.get("word") || "",
    };
  }

  function hashOf(state) {
    const given = new URLSearchParams();
    if (state.tab !== "words") given.set("tab", state.tab);
    for (const word of state.words) given.append("w", word);
    for (const name of ["from", "to", ...kinds, "order", "word"]) if (state[name]) given.set(name, state[name]);
    if (state.page > 1) given.set("page", state.page);
    for (const side of ["a", "b"]) {
      for (const [name, value] of Object.entries(state[side])) if (value) given.set(`${side}.${name}`, value);
    }
    const text = given.toString();
    return text ? `${prefix}?${text}` : prefix;
  }

  const current = () => stateOf(window.location.hash);

  // Every choice changes the address; what is shown follows from the address alone.
  function change(changes) {
    window.location.hash = hashOf({ ...current(), page: 1, ...changes });
  }

  Object.assign(driftline, { stateOf, hashOf, current, change, mostWords: most, kinds });
})();
