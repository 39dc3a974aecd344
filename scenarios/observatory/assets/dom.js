// Elements and numbers. All text goes in as text: nothing here makes markup of a string.

// element makes an element: attributes by name, handlers by on..., class lists, and children
// that are elements or texts. Attributes that are null or false are left out.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const svgSpace = "http://www.w3.org/2000/svg";

// drawn makes an element of SVG.
export function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

// duration prints seconds as people say them.
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 10) return seconds.toFixed(seconds < 0.995 ? 2 : 1) + " s";
  if (seconds < 120) return Math.round(seconds) + " s";
  if (seconds < 7200) return Math.floor(seconds / 60) + " min " + String(Math.round(seconds % 60) % 60).padStart(2, "0") + " s";
  if (seconds < 172800) return Math.floor(seconds / 3600) + " h " + String(Math.floor(seconds % 3600 / 60)).padStart(2, "0") + " min";
  return Math.floor(seconds / 86400) + " d " + Math.floor(seconds % 86400 / 3600) + " h";
}

// keepingFocus puts new elements into a place, and leaves the focus where it was: on what is
// still there, or on what has come for it, of the same kind and name, or else of the same number.
export function keepingFocus(place, act) {
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  const all = () => [...place.querySelectorAll(focused.tagName)];
  const name = (e) => e.getAttribute("aria-label") || e.getAttribute("href") || e.textContent;
  const named = focused && name(focused), alike = () => all().filter((e) => name(e) === named);
  const at = focused && all().indexOf(focused), among = focused && alike().indexOf(focused);
  act();
  if (!focused || document.activeElement === focused) return;
  (focused.isConnected ? focused : alike()[among] ?? all()[at])?.focus({ preventScroll: true });
}

// bytes prints an amount of memory.
export function bytes(count) {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (count >= size) return (count / size).toFixed(count >= 10 * size ? 0 : 1) + " " + unit;
  }
  return count + " B";
}

// shellWord is a text as one word of a command for a shell, like document.Word.
export function shellWord(text) { return /^[A-Za-z0-9_\-./=:,@%+]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'"; }

// counted is a number with its noun. Digits stand in threes; to ask the browser for its own way takes longer
// than to draw a table.
export function counted(n, what) { return n === 1 ? "1 " + what : String(n).replace(/\B(?=(\d{3})+$)/g, " ") + " " + what + "s"; }

// grouped is a number whose digits stand in threes, as in counted; numbers of four digits stay whole.
export function grouped(n) { return n >= 1e4 ? String(n).replace(/\B(?=(\d{3})+$)/g, " ") : String(n); }

// when prints a time: the hour of one of today, else the day.
export function when(text) {
  const time = new Date(text);
  if (!(time.getTime() > 0)) return "";
  const two = (n) => String(n).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

// ago prints how long ago a time was; one of long ago is a day.
export function ago(text, now = Date.now()) {
  const time = Date.parse(text);
  if (!(time > 0)) return "";
  const seconds = (now - time) / 1000;
  if (seconds < 60) return "just now";
  if (seconds < 3600) return Math.floor(seconds / 60) + " min ago";
  if (seconds < 86400) return Math.floor(seconds / 3600) + " h ago";
  if (seconds < 30 * 86400) return Math.floor(seconds / 86400) + " d ago";
  return when(text).slice(0, 10);
}

// rounded prints four digits of a number.
export function rounded(x) {
  const size = Math.abs(x);
  return size > 0 && (size >= 1e6 || size < 1e-3) ? x.toExponential(2).replace("e+", "e") : String(Number(x.toPrecision(4)));
}

// wide reports whether half of an interval is a large part of its value, as in tables of the server: the ends of the
// interval say more.
const wide = (value, half) => half > 0.5 * Math.abs(value) && Number.isFinite(half);

// twoDigits prints two digits of a number.
const twoDigits = (x) => rounded(Number(x.toPrecision(2)));

// ends are the ends of a wide interval in brackets; empty for others.
export const ends = (value, half) => (wide(value, half) ? ` (${twoDigits(value - half)} to ${twoDigits(value + half)})` : "");

// estimate is a value with half of its interval, which is told to two digits. Of a wide interval, whose ends stand
// elsewhere, it has the value alone.
export function estimate(value, half) {
  if (!(half > 0) || !Number.isFinite(half)) return rounded(value);
  if (wide(value, half)) return rounded(Number(value.toPrecision(3)));
  const size = Math.max(Math.abs(value), half), digits = Math.max(0, 1 - Math.floor(Math.log10(half)));
  if (size >= 1e6 || digits > 6) return `${rounded(value)} ± ${half.toPrecision(2)}`;
  return `${value.toFixed(digits)} ± ${half.toFixed(digits)}`;
}

// spoken is the name of an arm for readers: its label, or without one ε = 0.5 for epsilon=0.5, and no noise for epsilon=none.
export function spoken(name, labels = null) {
  return labels?.[name] ?? name.split(",").map((part) => {
    const found = /^([^=]*)=(.*)$/.exec(part);
    if (!found) return part;
    const [, key, value] = found;
    if (!/(^|\.)epsilon$/.test(key)) return `${key} = ${value}`;
    return value === "none" ? "no noise" : `ε = ${value}`;
  }).join(", ");
}

// badge is the status of a run.
export function badge(run) {
  return element("span", { class: "status " + run.status, title: run.reason || null }, run.status);
}

// bar is the share of a run that is done.
export function bar(share, text) {
  const filled = element("span", { class: "filled" });
  filled.style.width = 100 * (share ?? 0) + "%";
  return element("span", { class: "progress", role: "img", "aria-label": text || percent(share) }, filled);
}

// linkOf is the address of a run within the page.
export const linkOf = (id, tab = "") => "#/run/" + encodeURIComponent(id) + (tab && "/" + tab);

// percent prints a share.
export function percent(share) { return share === null || share === undefined ? "" : (share >= 0.9995 && share < 1 ? 99.9 : 100 * share).toFixed(share === 1 || share === 0 ? 0 : 1) + " %"; }

const numeric = /^(-|not run|no value|(-?inf|NaN|[-+(]?[0-9<][^a-z]*(e[-+]?[0-9]+)?\)?(e[-+]?[0-9]+)?)( \([a-z-]+\)|[ (\[]+-?[0-9][^a-z]*(e[-+]?[0-9]+)?( to |, )-?[0-9][^a-z]*(e[-+]?[0-9]+)?[)\]])?( [*~✓✗]|  )?( \+[0-9.]+ %| × [0-9.e+]+)?|–|∞|ε [0-9][^ ]*|)$/;

// marked is the text of a cell, whose mark, or the room for one, stands in a column of its own.
function marked(text) {
  if (text instanceof Node) return text;
  text = text?.replace(/(^|[^\w.])inf(?![\w.])/g, "$1∞");
  const found = /^(.*\S)( [*~✓✗]|  )( \+[0-9.]+ %| × [0-9.e+]+)?$/s.exec(text ?? "");
  const sign = found?.[2].trim();
  const spread = !found && /^([-+]?[0-9][^a-z ]*(?:e[-+]?[0-9]+)?) ([(\[]-?[0-9].*[)\]])$/.exec(text ?? "");
  if (spread) return [spread[1], " ", element("span", { class: "about spread" }, spread[2])]; // the interval of a value stands back
  return found ? [found[1], element("span", { class: "sign" + (sign === "✓" ? " kept" : sign === "✗" ? " exceeded" : "") }, sign), found[3] && element("span", { class: "about" }, found[3])].filter(Boolean) : text;
}

// table makes a table of texts, {header, rows}, that scrolls in itself. Columns of numbers
// are aligned to the right. style changes a cell by its row and column.
export function table({ header, rows }, label, mark = () => null, style = () => null) {
  const right = header.map((_, i) => i > 0 && rows.length > 0 && rows.every((row) => numeric.test(row[i])));
  const long = header.map((_, i) => !right[i] && rows.some((row) => row[i] instanceof Node || String(row[i] ?? "").length > 28));
  const side = (i) => (right[i] ? "number" : long[i] ? "long" : null);
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label || header[0] },
    element("table", {}, element("caption", { class: "unseen" }, label || header[0]),
      element("thead", {}, element("tr", {}, header.map((text, i) => (text ? element("th", { scope: "col", class: side(i) }, text) : element("td", {}))))),
      element("tbody", {}, rows.map((row, at) => element("tr", { class: mark(row) }, row.map((text, i) => {
        if (i === 0) return element("th", { scope: "row" }, text);
        const cell = element("td", { class: side(i) }, marked(text));
        style(cell, at, i);
        return cell;
      }))))));
}

// sortable has the rows of a table sorted by a click on the head of a column without pictures.
export function sortable(made) {
  const heads = [...made.querySelectorAll("thead th, thead td")], body = made.querySelector("tbody"), rows = [...body.rows];
  const sort = (head, k) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const words = rows.some((row) => /\p{L}/u.test(row.cells[k].textContent.replace(/e[-+]?[0-9]+|\bto\b/g, ""))), keys = new Map(rows.map((row) => [row, words ? row.cells[k].textContent : meanOf(row.cells[k].textContent)]));
    body.replaceChildren(...rows.toSorted((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y); // no value comes last
      return (down ? -1 : 1) * (words ? x.localeCompare(y, "en", { numeric: true }) : x < y ? -1 : x > y ? 1 : 0);
    }));
  };
  heads.forEach((head, k) => { if (head.textContent && !rows[0]?.cells[k]?.classList.contains("picture")) head.replaceChildren(element("button", { type: "button", class: "sort", onclick: () => sort(head, k) }, head.textContent)); });
  return made;
}

// meanOf is the number of a cell such as "0.12 ± 0.03 *" or "(6.4 ± 0.3)e+06"; NaN without one.
function meanOf(text) {
  const found = /^\(?([-+]?(?:∞|[0-9.]+(?:e[-+]?[0-9]+)?))[^)]*(?:\)(e[-+]?[0-9]+))?/.exec(text.replace(/^[<≤~] ?/, ""));
  return found ? (found[1].includes("∞") ? (found[1].startsWith("-") ? -Infinity : Infinity) : Number(found[1] + (found[2] ?? ""))) : NaN;
}

// shaded is a cell of a table by two keys with the strength of the colour of its value.
export function shaded(cell, share) {
  if (share !== null && share !== undefined) { cell.classList.add("shade"); cell.style.setProperty("--share", share); }
  return cell;
}

// facts lists names with their values.
export function facts(list) {
  return element("dl", {}, list.filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

// section is a part of a view, with a heading.
export function section(title, ...children) {
  return element("section", {}, element("h2", {}, title), children);
}

// below is a part of a section, with a heading under the section's.
export function below(title, ...children) {
  return element("section", {}, element("h3", {}, title), children);
}

// heading names a view for readers of screens, where nothing else does.
export function heading(title) { return element("h2", { class: "unseen" }, title); }

// choice is a menu with a label. Options are texts, or pairs of a value and a text.
export function choice(label, options, value, change) {
  const select = element("select", { onchange: () => change(select.value) },
    options.map((option) => {
      const [v, text] = Array.isArray(option) ? option : [option, option];
      return element("option", { value: v, selected: v === value }, text);
    }));
  return element("label", { class: "choice" }, element("span", {}, label), select);
}

// tick is a box to tick, with a label.
export function ticked(label, on, change) {
  const box = element("input", { type: "checkbox", checked: on, onchange: () => change(box.checked) });
  return element("label", { class: "ticked" }, box, " " + label);
}

// copy puts a text where the reader can paste it from, and says so on the button.
export async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
  } catch {
    button.textContent = "not allowed";
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}

// save hands the reader a file.
export function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
