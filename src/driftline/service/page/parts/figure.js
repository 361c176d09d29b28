// A figure: title, a sentence that describes it, the picture, and the same numbers as a table (`t`).
import { button, element, fill } from "./dom.js";
import { settings, whenChosen } from "./settings.js";
import { scrolling, table } from "./table.js";

/** @typedef {import("./dom.js").Child} Child */
const mostRows = 150;
let made = 0;

export class Figure {
  /** @param {{ title: string, headings: string[], heading?: string, class?: string, role?: string }} given a picture with links in it has the role "group" */
  constructor({ title, headings, heading = "h2", class: name = "", role = "img" }) {
    this.title = title;
    this.headings = headings;
    /** @type {() => Child[][]} */
    this.rows = () => [];
    /** @type {boolean | null} */
    this.chosen = null;
    const id = `figure-${(made += 1)}`;
    this.sentence = element("p", { class: "sentence", id: `${id}-sentence` });
    this.plot = element("div", { class: "plot", role, "aria-labelledby": `${id}-sentence` });
    this.beside = element("div", { class: "beside-plot" });
    this.numbers = element("div", { class: "numbers", hidden: true });
    this.toggle = button("Table", () => this.show(!this.isTable), {
      class: "small",
      "aria-expanded": "false",
      "aria-label": `Table: ${title}`,
      "aria-keyshortcuts": "t",
    });
    this.tools = element("div", { class: "tools" }, this.toggle);
    this.element = element(
      "figure",
      { class: `figure ${name}`, "aria-label": title },
      element("div", { class: "figure-head" }, element(heading, {}, title), this.tools),
      element("figcaption", {}, this.sentence),
      this.plot,
      this.beside,
      this.numbers,
    );
    this.forget = whenChosen(() => this.show(null));
    this.show(null);
  }

  get isTable() {
    return this.chosen ?? settings.tables;
  }

  /** @param {boolean | null} chosen null follows the choice for all figures */
  show(chosen) {
    this.chosen = chosen;
    this.toggle.setAttribute("aria-expanded", String(this.isTable));
    this.toggle.textContent = this.isTable ? "Figure" : "Table";
    this.plot.hidden = this.isTable;
    if (this.plot.parentElement && this.plot.parentElement !== this.element) this.plot.parentElement.hidden = this.isTable;
    this.beside.hidden = this.isTable;
    this.numbers.hidden = !this.isTable;
    this.#fillTable();
  }

  /** @param {string} sentence @param {() => Child[][]} rows newest last; computed only while the table is shown */
  update(sentence, rows) {
    if (this.sentence.textContent !== sentence) this.sentence.textContent = sentence;
    this.rows = rows;
    this.#fillTable();
  }

  #fillTable() {
    if (!this.isTable) return this.numbers.replaceChildren();
    const rows = this.rows();
    const shown = rows.slice(-mostRows).reverse();
    const top = this.numbers.firstElementChild?.scrollTop ?? 0;
    const name = `${this.title}, ${shown.length < rows.length ? `the last ${shown.length} of ${rows.length} rows, ` : ""}newest first`;
    fill(this.numbers, scrolling(name, table(name, this.headings, shown)));
    if (this.numbers.firstElementChild) this.numbers.firstElementChild.scrollTop = top;
  }

  close() {
    this.forget();
  }
}
