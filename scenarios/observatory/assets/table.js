// A table of many rows. Only the rows in sight are in the document, so that 100,000 take no
// longer than 50. Rows are sorted by a click on a heading, selected by a click on their box or
// with the space bar, and opened by a click or with Enter; the arrow keys, Page Up, Page Down,
// Home and End go through them.
//
// Where the table is narrower than fold.below, rows are as high as fold.height: cells get the width, and
// can have a second line of what has no column.
//
// Rows of one group follow each other below a row of the group, where grouped is set and there are
// several groups: group(row) is its name. A group of one row has none of its own. The row of a group is
// opened and closed by a click, with Enter, and with the arrow keys to the right and left; its box
// selects all rows of the group. A column's group(rows, name) is its cell.
//
// drew is told the rows that are in the document, and sorted is called after a click on a heading.
//
// columns(rows) are the columns for the rows that are shown, and order the order where the one that was
// chosen has no column.
//
// A column is {key, title, letters, share, wrap, cell(row, at), sort(row), least, hidden, number}: title is a text
// or a function that makes an element, and about the text of its tooltip. letters is the least width, in
// letters, and share the column's part of the width that is left. wrap lets texts take two lines. From the
// width least of the table on the column is shown, and never where it is hidden: rows can be sorted by it
// all the same. Where the columns are too wide, those with the greatest least go first; columns without
// one stay, and the table scrolls. at is {width, seen, inside}: the width of the table, the keys of the
// columns that are shown, and whether the row is in a group.
//
// The size of the table and where it is scrolled to are kept as events tell them: to ask the document for
// them makes it lay out the page.
import { element, keepingFocus } from "./dom.js";

// gapAt is the room between columns, in rem.
const gapAt = (width) => (width < 500 ? .4 : .8);

// wide is the least width of a column, in rem: of its letters, and of its heading with an arrow. Digits are
// wider than the mean of letters.
const wide = (c) => .3 + Math.max((c.number ? .58 : .5) * c.letters, typeof c.title === "string" ? .58 * c.title.length + (c.number ? .3 : .9) : 0);

const titleOf = (c) => (typeof c.title === "function" ? c.title() : c.title);

const spare = 6; // rows that are drawn above and below those in sight

export class Table {
  constructor({ columns, order, idOf, open, selected, label, rowHeight = 42, fold = null, group = null, drew = null, sorted = null }) {
    Object.assign(this, { columnsOf: columns, usual: order, order: { ...order }, idOf, openRow: open, onSelected: selected, onSorted: sorted, drew, rowHeight, fold, height: rowHeight, group });
    this.rows = [];
    this.shown = []; // rows, in order
    this.items = []; // what is listed: { row } or { name, rows }
    this.grouped = false;
    this.turned = new Map(); // by group, where somebody has opened or closed it
    this.openAtFirst = () => true;
    this.selection = new Set();
    this.active = -1;
    this.keep = () => true;
    this.size = { width: innerWidth, height: innerHeight };
    this.top = 0;
    this.head = element("div", { class: "grid-head", role: "row" });
    this.body = element("div", { class: "grid-rows", role: "presentation" });
    this.empty = element("p", { class: "grid-empty" });
    this.box = element("div", { class: "grid", role: "grid", tabindex: "0", "aria-label": label, "aria-multiselectable": "true" },
      this.head, this.body, this.empty);
    this.box.addEventListener("scroll", () => { this.top = this.box.scrollTop; this.soon(); }, { passive: true });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => this.click(event));
    this.observer = new ResizeObserver(([entry]) => { this.size = entry.contentRect; this.fit(); this.draw(); });
    this.observer.observe(this.box);
    this.arrange();
  }

  close() { this.observer.disconnect(); cancelAnimationFrame(this.frame); }

  // fit chooses the columns that there is room for.
  fit() {
    const width = this.width = this.size.width;
    const tall = this.fold && width < this.fold.below ? this.fold.height : this.height;
    if (tall !== this.rowHeight) {
      this.rowHeight = tall;
      this.body.style.height = this.items.length * tall + "px";
      this.drawn = null;
    }
    const inSight = this.columns.filter((c) => !c.hidden && (!c.least || width >= c.least));
    const gap = gapAt(width), least = () => inSight.reduce((sum, c) => sum + wide(c) + gap, 3.1), rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    while (least() * rem > width && inSight.some((c) => c.least)) inSight.splice(inSight.indexOf(inSight.reduce((a, b) => ((b.least || 0) >= (a.least || 0) ? b : a))), 1);
    const names = inSight.map((c) => c.key + wide(c)).join(" ");
    if (names === this.names) return;
    this.names = names;
    this.inSight = inSight;
    this.seen = new Set(inSight.map((c) => c.key));
    this.box.style.setProperty("--columns", ["2rem", ...inSight.map((c) => (c.share ? `minmax(${wide(c)}rem, ${c.share}fr)` : wide(c) + "rem"))].join(" "));
    this.box.style.setProperty("--gap", gap + "rem");
    this.box.style.setProperty("--least", least() + "rem");
    this.heads();
    this.drawn = null;
  }

  // heads draws the headings, unless they are there already: a key that is being pressed needs its button.
  heads() {
    const fresh = [element("span", { role: "columnheader", class: "grid-select" }, element("span", { class: "unseen" }, "Selected")),
      ...this.inSight.map((c) => element("span", { role: "columnheader", class: c.number ? "number" : null,
        "aria-sort": this.order.key === c.key ? (this.order.down ? "descending" : "ascending") : "none" },
      c.sort ? element("button", { type: "button", title: c.about || null, "data-key": c.key, onclick: () => this.sortBy(c.key) }, titleOf(c),
        element("span", { class: "arrow", "aria-hidden": "true" }, this.order.key === c.key ? (this.order.down ? "▾" : "▴") : "")) : titleOf(c)))];
    const text = fresh.map((one) => one.outerHTML).join("");
    if (text === this.headings) return;
    this.headings = text;
    keepingFocus(this.head, () => this.head.replaceChildren(...fresh));
  }

  sortBy(key, down = this.order.key === key ? !this.order.down : false) {
    this.order = { key, down };
    this.arrange();
    this.draw();
    this.onSorted?.();
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
    if (this.top > 0) this.scroll(0);
    this.draw();
  }

  // scroll goes to a place, as near as there is one.
  scroll(top) { this.box.scrollTop = top; this.top = this.box.scrollTop; }

  // arrange takes the columns for the rows that are shown, and puts these in order.
  arrange() {
    const at = this.items[this.active] && this.idAt(this.active), kept = this.rows.filter(this.keep);
    this.columns = this.columnsOf(kept);
    if (!this.columns.some((c) => c.key === this.order.key)) this.order = { ...this.usual };
    this.names = null;
    this.fit();
    const { sort } = this.columns.find((c) => c.key === this.order.key);
    const side = this.order.down ? -1 : 1;
    const keyed = kept.map((row, i) => [sort(row), i, row]);
    const compared = (a, b) => (Array.isArray(a) ? compared(a[0], b[0]) || compared(a[1], b[1]) : typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a < b ? -1 : a > b ? 1 : 0);
    keyed.sort(([a, i], [b, k]) => {
      // What has no value comes last, whichever way.
      if (a === null || b === null) return (a === null) - (b === null) || i - k;
      return side * compared(a, b) || i - k;
    });
    this.shown = keyed.map(([, , row]) => row);
    this.list();
    this.active = at === undefined ? -1 : this.items.findIndex((_, i) => this.idAt(i) === at);
    this.drawn = null;
  }

  // list puts rows of a group below a row of their own.
  list() {
    const groups = new Map();
    if (this.grouped && this.group) for (const row of this.shown) { const name = this.group(row); if (groups.has(name)) groups.get(name).push(row); else groups.set(name, [row]); }
    this.tree = groups.size > 1 && groups.size < this.shown.length;
    this.items = !this.tree ? this.shown.map((row) => ({ row }))
      : [...groups].flatMap(([name, rows]) => (rows.length === 1 ? [{ row: rows[0] }] : [{ name, rows }, ...(this.isOpen(name, rows) ? rows.map((row) => ({ row, inside: true })) : [])]));
    this.body.style.height = this.items.length * this.rowHeight + "px";
    this.box.setAttribute("role", this.tree ? "treegrid" : "grid");
    this.box.setAttribute("aria-rowcount", String(this.items.length + 1));
  }

  isOpen(name, rows) { return this.turned.get(name) ?? this.openAtFirst(rows); }

  // turn opens or closes a group.
  turn(name, open) {
    this.turned.set(name, open);
    this.list();
    this.active = this.items.findIndex((item) => item.name === name);
    this.again();
  }

  idAt(i) { const { row, name } = this.items[i]; return row ? this.idOf(row) : "group " + name; }

  soon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  draw() {
    const { rowHeight, size: { height }, drawn } = this, top = Math.min(this.top, Math.max(0, (this.items.length + 1) * rowHeight - height));
    const first = Math.max(0, Math.floor(top / rowHeight) - spare), end = Math.min(this.items.length, Math.ceil((top + height) / rowHeight) + spare);
    if (drawn && drawn.first <= first && end <= drawn.end && drawn.end - drawn.first <= 2 * (end - first)) return;
    this.drawn = { first, end };
    const focused = this.body.contains(document.activeElement);
    this.body.replaceChildren(...this.items.slice(first, end).map((item, k) => (item.row ? this.row(item.row, first + k, item.inside) : this.groupRow(item, first + k))));
    if (focused) this.box.focus({ preventScroll: true });
    this.drew?.(this.items.slice(first, end).flatMap((item) => item.row || []));
  }

  row(row, i, inside) {
    const id = this.idOf(row), selected = this.selection.has(id);
    return this.placed(element("div", { class: "grid-row" + (inside ? " inside" : "") + (i === this.active ? " active" : ""), role: "row", id: "row-" + i, "data-row": i,
      "aria-rowindex": i + 2, "aria-level": this.tree ? (inside ? 2 : 1) : null, "aria-selected": String(selected) },
    element("span", { role: "gridcell", class: "grid-select", "data-select": "" }, element("span", { class: "tickbox", "aria-hidden": "true" }, selected ? "✓" : "")),
    this.inSight.map((c) => element("span", { role: "gridcell", class: c.number ? "number" : c.wrap ? "wrap" : null }, c.cell(row, { width: this.width, seen: this.seen, inside })))), i);
  }

  groupRow({ name, rows }, i) {
    const open = this.isOpen(name, rows), n = rows.filter((row) => this.selection.has(this.idOf(row))).length;
    return this.placed(element("div", { class: "grid-row group" + (i === this.active ? " active" : ""), role: "row", id: "row-" + i, "data-row": i,
      "aria-rowindex": i + 2, "aria-level": 1, "aria-expanded": String(open), "aria-selected": String(n === rows.length) },
    element("span", { role: "gridcell", class: "grid-select", "data-select": "" }, element("span", { class: "tickbox", "aria-hidden": "true" }, n === rows.length ? "✓" : n > 0 ? "–" : "")),
    this.inSight.map((c, k) => element("span", { role: "gridcell", class: c.number ? "number" : null }, k === 0 && element("span", { class: "turner", "aria-hidden": "true" }, open ? "▾" : "▸"), c.group ? c.group(rows, name, { width: this.width, seen: this.seen }) : ""))), i);
  }

  placed(made, i) {
    made.style.transform = `translateY(${i * this.rowHeight}px)`;
    made.style.height = this.rowHeight + "px";
    return made;
  }

  again() { this.drawn = null; this.draw(); }

  click(event) {
    const made = event.target.closest(".grid-row");
    if (!made || event.target.closest("a, button")) return;
    this.active = Number(made.dataset.row);
    if (event.target.closest("[data-select]") || event.ctrlKey || event.metaKey || event.shiftKey) this.toggle(this.active);
    else this.act(this.active);
    this.mark();
  }

  // act opens a row, or opens or closes a group.
  act(i) {
    const { row, name, rows } = this.items[i];
    if (row) this.openRow(row);
    else this.turn(name, !this.isOpen(name, rows));
  }

  toggle(i) {
    const { row, rows } = this.items[i], ids = (rows || [row]).map(this.idOf);
    const on = !ids.every((id) => this.selection.has(id));
    for (const id of ids) if (on) this.selection.add(id); else this.selection.delete(id);
    this.again();
    this.onSelected?.(this.selection);
  }

  clear() { this.selection.clear(); this.again(); this.onSelected?.(this.selection); }

  mark() {
    if (this.active >= 0) this.box.setAttribute("aria-activedescendant", "row-" + this.active);
    this.again();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, a, input") || this.items.length === 0) return;
    const page = Math.max(1, Math.floor(this.size.height / this.rowHeight) - 2), last = this.items.length - 1, at = this.items[this.active];
    const moves = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page, PageUp: this.active - page, Home: 0, End: last };
    if (event.key in moves) {
      this.active = Math.max(0, Math.min(last, moves[event.key]));
      this.reveal();
    } else if (event.key === "Enter" && at) this.act(this.active);
    else if (event.key === "ArrowRight" && at?.rows && !this.isOpen(at.name, at.rows)) this.turn(at.name, true);
    else if (event.key === "ArrowLeft" && at?.rows && this.isOpen(at.name, at.rows)) this.turn(at.name, false);
    else if (event.key === "ArrowLeft" && at?.inside) { this.active = this.items.findIndex((item) => item.name === this.group(at.row)); this.reveal(); }
    else if (event.key === " " && this.active >= 0) this.toggle(this.active);
    else if (event.key === "Escape" && this.selection.size > 0) this.clear();
    else return;
    event.preventDefault();
    this.mark();
  }

  reveal() {
    const top = this.active * this.rowHeight, bottom = top + this.rowHeight, head = this.head.offsetHeight;
    if (top < this.top) this.scroll(top);
    else if (bottom > this.top + this.size.height - head) this.scroll(bottom - this.size.height + head);
  }
}
