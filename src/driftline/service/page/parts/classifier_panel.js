// Beside the desk: what the last label changed, the accuracy that is predicted, and calibration.
import { calibrationPicture, calibrationRows, calibrationSentence } from "./calibration.js";
import { element, fill, isolated } from "./dom.js";
import { Figure } from "./figure.js";
import { count, percent, plural } from "./format.js";
import { nothing } from "./table.js";

/** @typedef {import("../answers").Classifier} Classifier */

export function classifierPanel() {
  const tiles = element("dl", { class: "tiles" });
  const expected = element("p", { class: "sentence" });
  const flipped = element("p", { class: "sentence" });
  const examples = element("ul", { class: "flips" });
  const figure = new Figure({ title: "Calibration", headings: ["Said to be right", "#Was right", "#Guesses"], heading: "h3" });
  const panel = element(
    "section",
    { class: "panel panel-paper", "aria-labelledby": "classifier-title" },
    element("h2", { id: "classifier-title" }, "What the labels taught"),
    tiles,
    expected,
    element("h3", {}, "Changed by the last label"),
    flipped,
    examples,
    figure.element,
  );
  /** @type {Classifier | null} */
  let state = null;

  /** @param {string | null} answer */
  const label = (answer) =>
    answer === null ? element("span", { class: "quiet" }, "none") : element("span", { class: "label" }, isolated(answer));

  function sentence() {
    if (!state) return "";
    return state.flipped
      ? `The answers for ${plural(state.flipped, "document")} of ${count(state.n_frame)} changed.`
      : "No answer changed.";
  }

  /** @param {Classifier} next */
  function show(next) {
    state = next;
    const {
      n_labels: n,
      pending,
      expected: accuracy,
      expected_low: low,
      expected_high: high,
      right,
      n_tested: tested,
      kappa,
      n_double: double,
    } = next;
    fill(
      tiles,
      [
        [count(n), n === 1 ? "label" : "labels"],
        [accuracy === null ? "–" : percent(accuracy), "accuracy predicted"],
        [right === null ? "–" : percent(right), "right so far"],
        kappa !== null && [kappa.toFixed(2), "agreement of two people, κ"],
      ]
        .filter(Boolean)
        .map((tile) =>
          element(
            "div",
            {},
            element("dt", {}, /** @type {string[]} */ (tile)[1]),
            element("dd", {}, /** @type {string[]} */ (tile)[0]),
          ),
        ),
    );
    expected.textContent = [
      accuracy === null || low === null || high === null
        ? "The accuracy is predicted after the first labels of two classes."
        : `Of all answers, ${percent(accuracy)} are predicted to be right (${percent(low)} to ${percent(high)}).`,
      tested ? `${count(tested)} guesses were compared with the label given afterwards.` : "",
      double ? `${plural(double, "document")} had two people.` : "",
      pending ? `${plural(pending, "label")} being learned.` : "",
    ]
      .filter(Boolean)
      .join(" ");
    flipped.textContent = sentence();
    if (next.examples.length)
      fill(
        examples,
        next.examples
          .slice(0, 5)
          .map((flip) =>
            element(
              "li",
              {},
              label(flip.before),
              " → ",
              label(flip.now),
              element("p", { class: "document-text", dir: "auto" }, flip.snippet.replace(/[«»]/g, "")),
            ),
          ),
      );
    else nothing(examples, "Documents whose answer changes are listed here.");
    figure.element.hidden = !next.calibration.some((bin) => bin.n);
    figure.update(calibrationSentence(next.calibration), () => calibrationRows(next.calibration));
    fill(figure.plot, calibrationPicture(next.calibration));
  }

  return { element: panel, show, sentence, close: () => figure.close() };
}
