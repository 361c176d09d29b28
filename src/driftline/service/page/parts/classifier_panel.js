// The panel beside the desk: effect of the last label, predicted accuracy, and calibration.
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
  const figure = new Figure({ title: "Calibration", headings: ["Predicted accuracy", "#Observed accuracy", "#Guesses"], heading: "h3" });
  const panel = element(
    "section",
    { class: "panel panel-paper", "aria-labelledby": "classifier-title" },
    element("h2", { id: "classifier-title" }, "The classifier"),
    tiles,
    expected,
    element("h3", {}, "Effect of the last label"),
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
      ? `The guesses for ${plural(state.flipped, "document")} of ${count(state.n_frame)} changed.`
      : "No guess changed.";
  }

  /** Why there is no predicted accuracy. @param {Classifier} state */
  function unpredicted({ labels, pending }) {
    if (labels.length < 2) return "The accuracy is predicted once two different labels have been given.";
    return pending ? "" : "All recent documents have labels, so that there is nothing to predict.";
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
        [accuracy === null ? "–" : percent(accuracy), "predicted accuracy"],
        [right === null ? "–" : percent(right), "accuracy so far"],
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
        ? unpredicted(next)
        : `Predicted accuracy over all documents: ${percent(accuracy)} (${percent(low)} to ${percent(high)}).`,
      tested ? `${plural(tested, "guess", "guesses")} compared with the label given afterwards; suggested documents are harder than average.` : "",
      double ? `${plural(double, "document")} labelled by two people.` : "",
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
              element("p", { class: "document-text", dir: "auto" }, flip.snippet),
            ),
          ),
      );
    else nothing(examples, "Documents whose guess changes are listed here.");
    figure.element.hidden = !next.calibration.some((bin) => bin.n);
    figure.update(calibrationSentence(next.calibration), () => calibrationRows(next.calibration));
    fill(figure.plot, calibrationPicture(next.calibration));
  }

  return { element: panel, show, sentence, close: () => figure.close() };
}
