// Edits of whole lines: further in or out, and into comments and back. Each returns the part of a
// text to replace, its new text, and the selection after it; null where nothing changes.

const step = 2; // spaces of a level

// whole is the part of a text with all lines of a selection. A line of which only the start is selected is not in it.
function whole(text, from, to) {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const last = to > from && text[to - 1] === "\n" ? to - 1 : to;
  const end = text.indexOf("\n", last);
  return [start, end < 0 ? text.length : end];
}

// edited replaces the lines of a selection by others, and keeps the same letters selected.
function edited(text, from, to, change) {
  const [start, end] = whole(text, from, to), before = text.slice(start, end).split("\n"), after = change(before);
  if (after.every((line, i) => line === before[i])) return null;
  const moved = (offset) => {
    let at = start, by = 0;
    for (let i = 0; i < before.length; i++) {
      const grown = after[i].length - before[i].length;
      if (offset <= at + before[i].length) return Math.max(at + by, offset + by + (offset === at && to > from ? 0 : grown));
      by += grown;
      at += before[i].length + 1;
    }
    return offset + by;
  };
  return { from: start, to: end, text: after.join("\n"), selection: [moved(from), moved(to)] };
}

// indented moves the lines of a selection one level further in; back is one level out.
export function indented(text, from, to, back) {
  if (!back && from === to) {
    const column = from - text.lastIndexOf("\n", from - 1) - 1, spaces = " ".repeat(step - column % step);
    return { from, to, text: spaces, selection: [from + spaces.length, from + spaces.length] };
  }
  return edited(text, from, to, (lines) => lines.map((line) => (back ? line.replace(new RegExp(`^ {1,${step}}`), "") : line.trim() === "" ? line : " ".repeat(step) + line)));
}

// commented makes comments of the lines of a selection, or takes the marks away where all are comments.
export function commented(text, from, to) {
  return edited(text, from, to, (lines) => {
    const full = lines.filter((line) => line.trim() !== "");
    if (full.every((line) => /^\s*#/.test(line))) return lines.map((line) => line.replace(/^(\s*)# ?/, "$1"));
    const depth = Math.min(...full.map((line) => line.match(/^ */)[0].length));
    return lines.map((line) => (line.trim() === "" ? line : line.slice(0, depth) + "# " + line.slice(depth)));
  });
}
