"use strict";
// The words of the topics, ranked by λ ln φ + (1 − λ) ln(φ / p) for a λ that the reader chooses.
(() => {
  const { byId, read, element, isolated } = driftline;
  const topics = read("data-sections").topics;
  const slider = byId("relevance");
  if (!topics || !slider) return;
  const shown = 8;

  function ranked(words, relevance) {
    const score = ([, share, lift]) => relevance * share + (1 - relevance) * lift;
    return [...words].sort((a, b) => score(b) - score(a)).slice(0, shown);
  }

  function wordItem([word, , , number]) {
    if (number === null) return isolated(word);
    const button = element("button", "word", isolated(word));
    button.type = "button";
    button.dataset.word = number;
    return button;
  }

  function rank() {
    const relevance = Number(slider.value);
    byId("relevance-value").textContent = relevance.toFixed(1);
    topics.words.forEach((words, topic) => {
      const place = document.querySelector(`[data-topic-words="${topic}"]`);
      const items = ranked(words, relevance).flatMap((word, i) => (i ? [", ", wordItem(word)] : [wordItem(word)]));
      place.replaceChildren(...items);
    });
  }

  slider.addEventListener("input", rank);
  Object.assign(driftline, { rankedTopicWords: ranked });
})();
