// A table of many rows. Only the rows in sight are in the document, so that 100,000 take no
// longer than 50. Rows are sorted by a click on a heading, selected by a click on their box or
// with the space bar, and opened by a click or with Enter; the arrow keys, Page Up, Page Down,
// Home and End go through them.
//
// Where the table is narrower than fold.below, rows are as high as fold.height: cells get the width, and
// can have a second line of what has no column.
//
// A column is {key, title, width, cell(row), sort(row), least, number}: width is one of
// grid-template-columns, about the title of its heading, and least the width of the table from which on the column is shown.
import { element, keepingFocus } from "./dom.js";

const spare = 6; // rows that are drawn above and below those in sight

export class Table {
  constructor({ columns, idOf, open, selected, label, rowHeight = 38, fold = null }) {
    Object.assign(this, { columns, idOf, openRow: open, onSelected: selected, rowHeight, fold, height: rowHeight });
    this.rows = [];
    this.shown = [];
    this.selection = new Set();
    this.active = -1;
    this.order = { key: columns[0].key, down: false };
    this.keep = () => true;
    this.head = element("div", { class: "grid-head", role: "row" });
    this.body = element("div", { class: "grid-rows", role: "presentation" });
    this.empty = element("p", { class: "grid-empty" });
    this.box = element("div", { class: "grid", role: "grid", tabindex: "0", "aria-label": label, "aria-multiselectable": "true" },
      this.head, this.body, this.empty);
    this.box.addEventListener("scroll", () => this.soon(), { passive: true });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => this.click(event));
    this.observer = new ResizeObserver(() => { this.fit(); this.draw(); });
    this.observer.observe(this.box);
    this.fit();
  }

  close() { this.observer.disconnect(); cancelAnimationFrame(this.frame); }

  // choose takes other columns; the rows are put in order by another where theirs is gone.
  choose(columns, otherwise) {
    this.columns = columns;
    if (!columns.some((c) => c.key === this.order.key)) this.order = { ...otherwise };
    this.names = null;
    this.fit();
    this.arrange();
    this.draw();
  }

  // fit chooses the columns that there is room for.
  fit() {
    const width = this.box.clientWidth || innerWidth;
    this.width = width;
    const tall = this.fold && width < this.fold.below ? this.fold.height : this.height;
    if (tall !== this.rowHeight) {
      this.rowHeight = tall;
      this.body.style.height = this.shown.length * tall + "px";
      this.drawnRows = "";
    }
    const inSight = this.columns.filter((c) => !c.least || width >= c.least);
    const names = inSight.map((c) => c.key).join(" ");
    if (names === this.names) return;
    this.names = names;
    this.inSight = inSight;
    this.box.style.setProperty("--columns", ["2rem", ...inSight.map((c) => c.width)].join(" "));
    this.heads();
    this.drawnRows = "";
  }

  heads() {
    keepingFocus(this.head, () => this.head.replaceChildren(element("span", { role: "columnheader", class: "grid-select", "aria-label": "selected" }),
      ...this.inSight.map((c) => element("span", { role: "columnheader", class: c.number ? "number" : null,
        "aria-sort": this.order.key === c.key ? (this.order.down ? "descending" : "ascending") : "none" },
      c.sort ? element("button", { type: "button", title: c.about || null, onclick: () => this.sortBy(c.key) }, c.title,
        element("span", { class: "arrow", "aria-hidden": "true" }, this.order.key === c.key ? (this.order.down ? "▾" : "▴") : "")) : c.title))));
  }

  sortBy(key, down = this.order.key === key ? !this.order.down : false) {
    this.order = { key, down };
    this.heads();
    this.arrange();
    this.draw();
  }

  // set takes new rows; what is selected, and where the reader is, stays.
  set(rows) {
    this.rows = rows;
    const known = new Set(rows.map(this.idOf));
    const before = this.selection.size;
    for (const id of [...this.selection]) if (!known.has(id)) this.selection.delete(id);
    this.arrange();
    this.draw();
    if (this.selection.size !== before) this.onSelected?.(this.selection);
  }

  // filter shows the rows for which keep is true.
  filter(keep) {
    this.keep = keep;
    this.arrange();
    this.box.scrollTop = 0;
    this.draw();
  }

  arrange() {
    const at = this.shown[this.active] && this.idOf(this.shown[this.active]);
    const { sort } = this.columns.find((c) => c.key === this.order.key);
    const side = this.order.down ? -1 : 1;
    const keyed = this.rows.filter(this.keep).map((row, i) => [sort(row), i, row]);
    const compared = (a, b) => (Array.isArray(a) ? compared(a[0], b[0]) || compared(a[1], b[1]) : typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a < b ? -1 : a > b ? 1 : 0);
    keyed.sort(([a, i], [b, k]) => {
      // What has no value comes last, whichever way.
      if (a === null || b === null) return (a === null) - (b === null) || i - k;
      return side * compared(a, b) || i - k;
    });
    this.shown = keyed.map(([, , row]) => row);
    this.active = at === undefined ? -1 : this.shown.findIndex((row) => this.idOf(row) === at);
    this.body.style.height = this.shown.length * this.rowHeight + "px";
    this.box.setAttribute("aria-rowcount", String(this.shown.length + 1));
    this.drawnRows = "";
  }

  soon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  draw() {
    const height = this.box.clientHeight || innerHeight;
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.rowHeight) - spare);
    const end = Math.min(this.shown.length, Math.ceil((this.box.scrollTop + height) / this.rowHeight) + spare);
    const range = first + " " + end;
    if (range === this.drawnRows) return;
    this.drawnRows = range;
    const focused = this.body.contains(document.activeElement);
    this.body.replaceChildren(...this.shown.slice(first, end).map((row, k) => this.row(row, first + k)));
    if (focused) this.box.focus({ preventScroll: true });
  }

  row(row, i) {
    const id = this.idOf(row), selected = this.selection.has(id);
    const made = element("div", { class: "grid-row" + (i === this.active ? " active" : ""), role: "row", id: "row-" + i, "data-row": i,
      "aria-rowindex": i + 2, "aria-selected": String(selected) },
    element("span", { role: "gridcell", class: "grid-select", "data-select": "" }, element("span", { class: "tickbox", "aria-hidden": "true" }, selected ? "✓" : "")),
    this.inSight.map((c) => element("span", { role: "gridcell", class: c.number ? "number" : null }, c.cell(row, this.width))));
    made.style.transform = `translateY(${i * this.rowHeight}px)`;
    made.style.height = this.rowHeight + "px";
    return made;
  }

  again() { this.drawnRows = ""; this.draw(); }

  click(event) {
    const made = event.target.closest(".grid-row");
    if (!made || event.target.closest("a, button")) return;
    this.active = Number(made.dataset.row);
    if (event.target.closest("[data-select]") || event.ctrlKey || event.metaKey || event.shiftKey) this.toggle(this.active);
    else this.openRow(this.shown[this.active]);
    this.mark();
  }

  toggle(i) {
    const id = this.idOf(this.shown[i]);
    if (!this.selection.delete(id)) this.selection.add(id);
    this.again();
    this.onSelected?.(this.selection);
  }

  clear() { this.selection.clear(); this.again(); this.onSelected?.(this.selection); }

  mark() {
    if (this.active >= 0) this.box.setAttribute("aria-activedescendant", "row-" + this.active);
    this.again();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, a, input") || this.shown.length === 0) return;
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight) - 2), last = this.shown.length - 1;
    const moves = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page, PageUp: this.active - page, Home: 0, End: last };
    if (event.key in moves) {
      this.active = Math.max(0, Math.min(last, moves[event.key]));
      this.reveal();
    } else if (event.key === "Enter" && this.active >= 0) this.openRow(this.shown[this.active]);
    else if (event.key === " " && this.active >= 0) this.toggle(this.active);
    else if (event.key === "Escape" && this.selection.size > 0) this.clear();
    else return;
    event.preventDefault();
    this.mark();
  }

  reveal() {
    const top = this.active * this.rowHeight, bottom = top + this.rowHeight, head = this.head.offsetHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (bottom > this.box.scrollTop + this.box.clientHeight - head) this.box.scrollTop = bottom - this.box.clientHeight + head;
  }
}
