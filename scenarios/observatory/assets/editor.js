// A text area that colours what is in it, marks faults where they are, completes, and says
// what the word under the pointer or the caret means. The text area is the browser's own, so
// that typing, undoing, selecting and reading aloud are what people know; colours and marks
// lie below it and are of no concern to readers of screens.
import { element } from "./dom.js";
import { highlighted } from "./run.js";
import { indented, commented } from "./lines.js";

const most = 200; // items of a list of completions

export class Editor {
  // changed is called after each change; complete(text, offset) returns {from, to, items};
  // explain(text, offset) what a word means, with the offsets from and to; moved tells where
  // the caret is.
  constructor({ label, changed, complete, explain, moved }) {
    Object.assign(this, { changed, completions: complete, explain, moved });
    this.faults = [];
    this.list = null; // completions that are shown
    this.area = element("textarea", { class: "editor-text", "aria-label": label, spellcheck: "false", autocomplete: "off", autocapitalize: "off", autocorrect: "off", wrap: "off",
      "aria-autocomplete": "list", "aria-describedby": "editor-keys editor-about", rows: "1" });
    this.colours = element("pre", { class: "editor-layer yaml", "aria-hidden": "true" });
    this.marks = element("pre", { class: "editor-layer editor-marks", "aria-hidden": "true" });
    this.numbers = element("div", { class: "editor-numbers", "aria-hidden": "true" });
    this.options = element("ul", { class: "editor-options", id: "editor-options", role: "listbox", "aria-label": "completions", hidden: true });
    this.tip = element("div", { class: "editor-tip", role: "tooltip", hidden: true });
    this.ruler = element("span", { class: "editor-ruler", "aria-hidden": "true" }, "0".repeat(50));
    this.sheet = element("div", { class: "editor-sheet" }, this.colours, this.marks, this.area, this.ruler, this.options, this.tip);
    this.box = element("div", { class: "editor" }, element("div", { class: "editor-gutter" }, this.numbers), this.sheet);
    this.listen();
  }

  listen() {
    const { area } = this;
    // Keyboards on screens tell of a new line by this event alone.
    area.addEventListener("beforeinput", (event) => { if (event.inputType === "insertLineBreak" && !event.isComposing && !this.replacing) { event.preventDefault(); this.enter(); } });
    area.addEventListener("input", (event) => {
      this.draw();
      this.changed(area.value);
      // Words complete themselves while they are typed; deleting asks for nothing.
      if (/^insert(Text|Composition)/.test(event.inputType) && !event.isComposing && /[\w.{ ]/.test(event.data ?? "")) this.suggest(false);
      else this.close();
    });
    area.addEventListener("scroll", () => { this.hide(); this.draw(); if (this.list) this.place(); }, { passive: true });
    area.addEventListener("keydown", (event) => this.key(event));
    area.addEventListener("blur", () => { this.leaving = false; this.close(); });
    area.addEventListener("click", () => this.close());
    area.addEventListener("mousemove", (event) => this.hover(event));
    area.addEventListener("mouseleave", () => this.hide());
    this.caret = () => { if (document.activeElement === area) this.tell(); };
    document.addEventListener("selectionchange", this.caret);
    for (const event of ["focus", "keyup", "mouseup"]) area.addEventListener(event, this.caret); // some browsers tell of no selections in text areas
    this.options.addEventListener("mousedown", (event) => { // before the text area loses the focus
      event.preventDefault();
      const option = event.target.closest("[data-n]");
      if (option) { this.list.at = Number(option.dataset.n); this.accept(); }
    });
    this.observer = new ResizeObserver(() => { this.measure(); this.draw(); });
    this.observer.observe(this.box);
  }

  // tell says again where the caret is: the text around it, or its faults, are others.
  tell() { this.moved(this.area.value, this.area.selectionStart); }

  remove() {
    this.observer.disconnect();
    document.removeEventListener("selectionchange", this.caret);
    clearTimeout(this.pointing);
  }

  get text() { return this.area.value; }

  // load puts another text into the place of all; undoing brings the old one back.
  load(text) {
    if (text === this.area.value) return;
    if (this.area.value === "") this.area.value = text;
    else this.replace(0, this.area.value.length, text);
    this.area.setSelectionRange(0, 0);
    this.area.scrollTo(0, 0);
    this.close();
    this.draw();
    this.changed(text);
  }

  // replace puts a text in the place of another in such a way that it can be undone.
  replace(from, to, text) {
    const { area } = this;
    area.focus({ preventScroll: true });
    area.setSelectionRange(from, to);
    this.replacing = true; // which some browsers tell of as if somebody typed
    if (!(text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text))) {
      area.setRangeText(text, from, to, "end"); // a browser without; nothing can be undone then
      area.dispatchEvent(new Event("input"));
    }
    this.replacing = false;
    this.reveal();
  }

  measure() {
    const style = getComputedStyle(this.area);
    this.width = this.ruler.getBoundingClientRect().width / 50 || 8;
    this.line = parseFloat(style.lineHeight);
    this.pad = [parseFloat(style.paddingLeft), parseFloat(style.paddingTop)];
  }

  // draw shows the lines that are in sight.
  draw() {
    if (!this.line) this.measure();
    const { area, line } = this;
    const lines = area.value.split("\n");
    const first = Math.max(0, Math.floor((area.scrollTop - this.pad[1]) / line) - 2);
    const end = Math.min(lines.length, Math.ceil((area.scrollTop + area.clientHeight) / line) + 2);
    const shown = lines.slice(first, end);
    this.colours.replaceChildren(...shown.flatMap((text) => [...highlighted(text), "\n"]));
    const faults = new Map();
    for (const fault of this.faults) if (fault.line) faults.set(fault.line, [...(faults.get(fault.line) || []), fault]);
    this.marks.replaceChildren(...shown.flatMap((text, i) => [...marked(text, faults.get(first + i + 1) || []), ...noted(faults.get(first + i + 1)), "\n"]));
    this.numbers.replaceChildren(...shown.map((_, i) => element("span", { class: faults.has(first + i + 1) ? "wrong" : null }, String(first + i + 1))));
    const top = this.pad[1] + first * line - area.scrollTop;
    for (const layer of [this.colours, this.marks]) layer.style.transform = `translate(${this.pad[0] - area.scrollLeft}px, ${top}px)`;
    this.numbers.style.transform = `translateY(${top}px)`;
    this.box.style.setProperty("--digits", String(Math.max(2, String(lines.length).length)));
  }

  // show marks faults, {line, column, message} each.
  show(faults) {
    this.faults = faults;
    if (faults.length > 0) this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
    this.draw();
  }

  // offsetOf is where a line and a column of it are, which count characters from 1.
  offsetOf(line, column) {
    const lines = this.area.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    return Math.min(this.area.value.length, before + [...(lines[line - 1] || "")].slice(0, column - 1).join("").length);
  }

  // go puts the caret somewhere, in sight.
  go(line, column) {
    const offset = this.offsetOf(line, column);
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(offset, offset);
    const top = (line - 1) * this.line;
    if (top < this.area.scrollTop || top > this.area.scrollTop + this.area.clientHeight - 3 * this.line) this.area.scrollTop = Math.max(0, top - this.area.clientHeight / 3);
    const left = (column - 1) * this.width;
    if (left < this.area.scrollLeft || left > this.area.scrollLeft + this.area.clientWidth - 8 * this.width) this.area.scrollLeft = Math.max(0, left - this.area.clientWidth / 2);
    this.box.scrollIntoView({ block: "nearest" });
  }

  // faultsAt are the faults of the line of an offset.
  faultsAt(offset) {
    const line = this.area.value.slice(0, offset).split("\n").length;
    return this.faults.filter((fault) => fault.line === line);
  }

  // fixes are the words that the message of a fault suggests in place of the one that it names.
  fixes(fault) {
    const found = /"([^"]+)"[^"]*; did you mean (.+)\?/.exec(fault.message);
    if (!found || !fault.line || fault.file) return [];
    const text = this.area.value.split("\n")[fault.line - 1] ?? "", from = this.offsetOf(fault.line, fault.column), line = this.offsetOf(fault.line, 1);
    const at = text.indexOf(found[1], from - line) >= 0 ? text.indexOf(found[1], from - line) : text.indexOf(found[1]);
    return at < 0 ? [] : [...found[2].matchAll(/"([^"]+)"/g)].map(([, word]) => ({ word, from: line + at, to: line + at + found[1].length }));
  }

  // fixLine takes the first suggestion for the line of the caret.
  fixLine() {
    const line = this.area.value.slice(0, this.area.selectionStart).split("\n").length;
    const first = this.faults.filter((fault) => fault.line === line).flatMap((fault) => this.fixes(fault))[0];
    if (first) this.fix(first);
  }

  // fix puts a suggested word in its place, which can be undone.
  fix({ word, from, to }) { this.replace(from, to, word); }

  // where is the place of an offset on the sheet.
  where(offset) {
    const before = this.area.value.slice(0, offset).split("\n");
    return [this.pad[0] + [...before.at(-1)].length * this.width - this.area.scrollLeft, this.pad[1] + before.length * this.line - this.area.scrollTop];
  }

  // reveal scrolls to the caret, which browsers do for those who type alone.
  reveal() {
    const { area } = this, [left, top] = this.where(area.selectionEnd);
    if (top > area.clientHeight - this.pad[1]) area.scrollTop += top - area.clientHeight + 2 * this.pad[1];
    else if (top < this.line) area.scrollTop += top - this.line - this.pad[1];
    if (left > area.clientWidth - 2 * this.width) area.scrollLeft += left - area.clientWidth + 8 * this.width;
    else if (left < 0) area.scrollLeft += left - this.pad[0] - 4 * this.width;
  }

  key(event) {
    const { area } = this;
    if (event.isComposing) return;
    const { leaving } = this; // Escape was pressed just before: Tab leaves the editor
    if (!["Shift", "Control", "Alt", "Meta"].includes(event.key)) this.leaving = event.key === "Escape";
    if (event.key === "Escape" && (this.list || !this.tip.hidden)) { this.close(); this.hide(); event.preventDefault(); return; }
    if ((event.ctrlKey || event.metaKey) && event.key === " ") { this.suggest(true); event.preventDefault(); return; }
    if ((event.ctrlKey || event.metaKey) && event.key === ".") { this.fixLine(); event.preventDefault(); return; }
    if ((event.ctrlKey || event.metaKey) && event.key === "/") { this.apply(commented(area.value, area.selectionStart, area.selectionEnd)); event.preventDefault(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "F8" && this.faults.length > 0) { this.next(event.shiftKey); event.preventDefault(); return; }
    if (this.list) {
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
      if (event.key in steps) { this.turn(steps[event.key]); event.preventDefault(); return; }
      if (event.key === "Tab" && !event.shiftKey && this.takes(true)) { this.accept(); event.preventDefault(); return; }
    }
    if (event.key === "Tab" && !leaving) { this.apply(indented(area.value, area.selectionStart, area.selectionEnd, event.shiftKey)); event.preventDefault(); }
  }

  // apply makes an edit of lines, which can be undone.
  apply(edit) {
    if (!edit) return;
    this.close();
    this.replace(edit.from, edit.to, edit.text);
    this.area.setSelectionRange(...edit.selection);
  }

  // next puts the caret at the next fault, or the one before, and begins anew at the end.
  next(back) {
    const places = this.faults.filter((fault) => fault.line).map((fault) => this.offsetOf(fault.line, fault.column)).sort((a, b) => a - b), at = this.area.selectionStart;
    const found = back ? places.findLast((place) => place < at) ?? places.at(-1) : places.find((place) => place > at) ?? places[0];
    const fault = this.faults.find((one) => one.line && this.offsetOf(one.line, one.column) === found);
    if (fault) this.go(fault.line, fault.column);
  }

  // takes tells whether a key takes the completion. What was asked for, or chosen by an arrow, is
  // taken, and so is what has begun to be typed. A value that only offers itself, or is typed to its
  // end, leaves Enter a new line.
  takes(tab) {
    const { asked, chosen, word, what, items, at } = this.list;
    return asked || chosen || (word !== "" && (what === "key" || tab || (items[at].label.startsWith(word) && !items.some(({ label }) => label === word))));
  }

  // enter takes a completion, or begins a new line: as far in as the one before it, and further
  // after a key without a value.
  enter() {
    const { area } = this;
    if (this.list && this.takes(false)) { this.accept(); return; }
    const from = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
    const before = area.value.slice(from, area.selectionStart);
    const indent = before.match(/^\s*(?:- +)*/)[0].replace(/-/g, " ") + (/:\s*$/.test(before) ? "  " : "");
    this.close();
    this.replace(area.selectionStart, area.selectionEnd, "\n" + (before.trim() === "" ? before : indent));
  }

  // suggest shows completions at the caret. Asked tells that somebody wants them, and not
  // that a word is being typed.
  suggest(asked) {
    const { area } = this;
    const found = area.selectionStart === area.selectionEnd ? this.completions(area.value, area.selectionStart) : null;
    const items = found ? found.items.slice(0, most) : [];
    const done = items.length === 1 && items[0].label === found.word; // there is nothing to add
    if (items.length === 0 || (done && !asked) || (!asked && found.word === "" && found.what === "key")) { this.close(); return; }
    this.list = { ...found, items, asked, at: 0 };
    this.reveal();
    this.fill();
    this.place();
  }

  fill() {
    const { items, at } = this.list;
    this.options.replaceChildren(...items.map((one, i) => element("li", { role: "option", id: "editor-option-" + i, "data-n": i, "aria-selected": String(i === at) },
      element("span", { class: "option-name" }, one.label), element("span", { class: "option-detail" }, one.detail),
      one.text ? element("span", { class: "option-text" }, one.text) : null)));
    this.options.hidden = false;
    this.area.setAttribute("aria-controls", "editor-options");
    this.area.setAttribute("aria-activedescendant", "editor-option-" + at);
    this.options.children[at].scrollIntoView({ block: "nearest" });
  }

  turn(by) {
    const { items, at } = this.list, { length } = items;
    this.list.chosen = true;
    this.list.at = Math.abs(by) === 1 ? (at + by + length) % length : Math.max(0, Math.min(length - 1, at + by));
    this.options.children[at].setAttribute("aria-selected", "false");
    this.options.children[this.list.at].setAttribute("aria-selected", "true");
    this.area.setAttribute("aria-activedescendant", "editor-option-" + this.list.at);
    this.options.children[this.list.at].scrollIntoView({ block: "nearest" });
  }

  place() {
    const [left, top] = this.where(this.list.from);
    const room = this.sheet.clientWidth, wide = Math.min(this.options.offsetWidth, room - 8);
    this.options.style.left = Math.max(4, Math.min(left, room - wide - 4)) + "px";
    const below = this.sheet.clientHeight - top, high = this.options.offsetHeight;
    this.options.style.top = (below < high + 4 && top - this.line > high ? top - this.line - high - 2 : top + 2) + "px";
  }

  accept() {
    const { items, at, from, to } = this.list, one = items[at];
    this.close();
    this.replace(from, to, one.insert);
    this.close();
    if (one.again) this.suggest(false);
  }

  close() {
    this.list = null;
    this.options.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
    this.area.removeAttribute("aria-controls");
  }

  // hover says what is under the pointer, after a moment.
  hover(event) {
    clearTimeout(this.pointing);
    const box = this.area.getBoundingClientRect();
    const x = event.clientX - box.left - this.pad[0] + this.area.scrollLeft, y = event.clientY - box.top - this.pad[1] + this.area.scrollTop;
    this.pointing = setTimeout(() => this.point(Math.floor(y / this.line) + 1, Math.floor(x / this.width) + 1), 250);
  }

  point(line, column) {
    const lines = this.area.value.split("\n"), text = lines[line - 1];
    if (text === undefined || column < 1 || column > text.length || this.list) { this.hide(); return; }
    const faults = this.faults.filter((f) => f.line === line && column >= f.column && column < f.column + widthOf(text, f.column));
    const said = this.explain(this.area.value, this.offsetOf(line, column));
    if (faults.length === 0 && !said) { this.hide(); return; }
    this.tip.replaceChildren(...faults.map((f) => element("p", { class: "tip-fault" }, f.message, this.fixes(f).length > 0 ? element("span", { class: "about" }, ` Ctrl-. changes it to ${this.fixes(f)[0].word}`) : "")), said ? explained(said) : "");
    this.tip.hidden = false;
    const [left, top] = this.where(this.offsetOf(line, faults[0]?.column ?? column));
    const room = this.sheet.clientWidth - this.tip.offsetWidth - 4;
    this.tip.style.left = Math.max(4, Math.min(left, room)) + "px";
    const high = this.tip.offsetHeight;
    this.tip.style.top = (top + high + 4 > this.sheet.clientHeight && top - this.line > high ? top - this.line - high - 4 : top + 4) + "px";
  }

  hide() { clearTimeout(this.pointing); this.tip.hidden = true; }
}

// explained is what a word means.
export function explained({ path, text, facts }) {
  return element("div", { class: "explained" }, element("p", {}, element("code", {}, path), text ? " " + text : ""),
    facts.length > 0 ? element("p", { class: "facts" }, facts.join(" · ")) : "");
}

// widthOf is how far a fault reaches: to the end of its word.
function widthOf(text, column) {
  const rest = [...text].slice(column - 1).join("");
  return Math.max(1, (rest.match(/^("[^"]*"|'[^']*'|[^\s,:{}[\]]+)/)?.[0] ?? rest.slice(0, 1)).length);
}

// marked is a line with the places of its faults underlined.
function marked(text, faults) {
  const parts = [], characters = [...text];
  let at = 0;
  for (const fault of faults.toSorted((a, b) => a.column - b.column)) {
    const from = Math.min(fault.column - 1, characters.length);
    if (from < at) continue;
    const width = widthOf(text, fault.column);
    parts.push(characters.slice(at, from).join(""), element("span", { class: "fault" }, characters.slice(from, from + width).join("") || " "));
    at = from + width;
  }
  parts.push(characters.slice(at).join(""));
  return parts;
}

// noted is the message of the first fault of a line, behind the line.
function noted(faults) {
  if (!faults) return [];
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  return [element("span", { class: "fault-note" }, faults[0].message + more)];
}
