// The outline of a scenario that is being written: its keys, where they stand, and at which
// place somebody types. The text may be wrong or half done, so the outline takes what it can
// and says nothing of faults; the program judges them.
//
// A node is a mapping, a list or a value: {key, item, from, to, indent, flow, value, at,
// end, parent, children}. Key is the text before a colon, from and to where it stands; of an
// item of a list key is null and item its number. Value is the text of a scalar, which stands
// at at; end is where the node ends.

const keyPattern = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'{}[\],&*!|>%@`-][^:#{}[\],]*?|-[^\s:#][^:#]*?)[ \t]*:(?=[ \t]|$)/;
const plain = (text) => (/^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text);

function node(parent, fields) {
  const made = { key: null, item: null, from: 0, to: 0, indent: 0, flow: "", value: "", at: -1, end: 0, parent, children: [], ...fields };
  parent?.children.push(made);
  return made;
}

// outline reads a text.
export function outline(text) {
  const root = node(null, { indent: -1, end: text.length });
  const open = [root]; // the nodes around the place that is read
  let at = 0;
  while (at <= text.length) {
    const end = lineEnd(text, at), line = text.slice(at, end);
    let column = line.length - line.trimStart().length;
    // Items: each dash opens a node, and what follows it stands within.
    while (/^-(\s|$)/.test(line.slice(column))) {
      while (open.length > 1 && !holdsItems(open.at(-1), column)) open.pop();
      const list = open.at(-1);
      open.push(node(list, { item: list.children.length, from: at + column, to: at + column + 1, indent: column, end }));
      column += 1 + line.slice(column + 1).match(/^ */)[0].length;
    }
    const rest = line.slice(column);
    if (rest === "" || rest[0] === "#") { at = end + 1; continue; }
    const match = rest.match(keyPattern);
    while (open.length > 1 && open.at(-1).indent >= column) open.pop();
    let holder = open.at(-1), from = at + column;
    if (match) {
      holder = node(holder, { key: plain(match[1]), from, to: from + match[1].length, indent: column, end });
      open.push(holder);
      from += match[0].length;
      while (from < end && /[ \t]/.test(text[from])) from++;
    } else if (holder === root || holder.at >= 0) { at = end + 1; continue; } // of which nothing is known
    at = value(text, holder, from, end);
  }
  close(root);
  return root;
}

// holdsItems tells whether a dash in a column begins an item of a node: lists may stand in the
// column of their key.
function holdsItems(n, column) { return n.indent < column || (n.indent === column && n.item === null && n.at < 0); }

function lineEnd(text, at) { const end = text.indexOf("\n", at); return end < 0 ? text.length : end; }

// value reads what stands after a colon or a dash, and returns where the next line begins.
function value(text, holder, at, end) {
  const first = text[at];
  if (at < end && (first === "{" || first === "[")) {
    return lineEnd(text, flow(text, holder, at)) + 1;
  }
  if (first === "|" || first === ">") { // a block of text: all lines that are deeper
    let next = end + 1;
    while (next <= text.length) {
      const stop = lineEnd(text, next), line = text.slice(next, stop);
      if (line.trim() && line.length - line.trimStart().length <= holder.indent) break;
      holder.end = stop;
      next = stop + 1;
    }
    holder.at = at;
    return next;
  }
  scalar(text, holder, at, end);
  return end + 1;
}

function scalar(text, holder, at, end) {
  if (at >= end) return;
  const raw = text.slice(at, end).replace(/(^|\s)#.*$/, "").trimEnd();
  holder.value = plain(raw);
  holder.at = at;
  holder.end = at + raw.length;
}

function topKey(text, at) { const next = text.slice(at).search(/\n[A-Za-z_][\w.-]*:/); return next < 0 ? text.length : at + next; }

// flow reads braces or brackets into a node and returns where they end: at the latest where
// a key at the beginning of a line says that they were left open.
function flow(text, holder, at, limit = topKey(text, at)) {
  holder.flow = text[at];
  holder.at = at;
  const close = holder.flow === "{" ? "}" : "]";
  let i = at + 1, number = 0;
  while (i < limit) {
    const c = text[i];
    if (c === close) { holder.end = i + 1; holder.closed = true; return i + 1; }
    if (c === "}" || c === "]") break; // one that nothing has opened
    if (c === "," || /\s/.test(c)) { i++; continue; }
    if (c === "#" && /\s/.test(text[i - 1])) { i = Math.min(limit, lineEnd(text, i)); continue; }
    if (holder.flow === "{") {
      const match = text.slice(i, limit).match(/^("(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[^:,{}[\]#\n]+?)\s*(:(?=[\s,}\]])|(?=[,}\n]|$))/);
      if (!match) { i++; continue; }
      const child = node(holder, { key: plain(match[1]), from: i, to: i + match[1].length, indent: holder.indent + 1, end: i + match[0].length });
      i = match[2] ? item(text, child, i + match[0].length, limit) : i + match[0].length;
    } else {
      const child = node(holder, { item: number++, from: i, to: i, indent: holder.indent + 1, end: i });
      i = item(text, child, i, limit);
    }
  }
  holder.end = Math.min(i, limit);
  return holder.end;
}

// item reads one value within braces or brackets.
function item(text, child, i, limit) {
  while (i < limit && /[ \t]/.test(text[i])) i++;
  if (text[i] === "{" || text[i] === "[") { i = flow(text, child, i, limit); child.end = i; return i; }
  const match = text.slice(i, limit).match(/^("(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[^,{}[\]\n]*)/)[0];
  const raw = match.trimEnd();
  if (raw) { child.value = plain(raw); child.at = i; }
  child.end = i + raw.length;
  return i + match.length;
}

// close gives each node the end of what is in it.
function close(n) {
  for (const child of n.children) { close(child); n.end = Math.max(n.end, child.end); }
}

// under is the innermost node whose key or scalar is at an offset.
export function under(root, offset) {
  let found = null;
  const look = (n) => {
    if (n.key !== null && offset >= n.from && offset <= n.to) found = n;
    else if (n.at >= 0 && !n.flow && offset >= n.at && offset <= n.end) found = n;
    n.children.forEach(look);
  };
  look(root);
  return found;
}

const sentinel = "\u2063caret"; // which nobody types

// typing says what somebody writes at an offset: {what, node, word, from, to, colon}. What is
// key or value, and node the mapping that the key is in, or the node whose value it is. The
// word there goes from from to to, and colon tells whether a colon follows it. Null is a place
// where nothing can be told, such as a comment.
export function typing(text, offset) {
  let from = offset, to = offset;
  while (from > 0 && /[\w.*/-]/.test(text[from - 1])) from--;
  while (to < text.length && /[\w.*/-]/.test(text[to])) to++;
  if (text[from] === "-" && /\s|^$/.test(text[from + 1] ?? "") && from < offset) from = offset; // a dash of a list
  const colon = /^[ \t]*:/.test(text.slice(to, to + 9));
  // The word is replaced by one that the outline then has somewhere.
  const root = outline(text.slice(0, from) + sentinel + (colon ? "" : ": ") + text.slice(to));
  const word = text.slice(from, offset);
  let found = null;
  const look = (n) => {
    if (n.key === sentinel) found = { what: "key", node: n.parent, word, from, to, colon };
    else if (n.value.startsWith(sentinel)) found = { what: "value", node: n, word, from, to, colon: false };
    n.children.forEach(look);
  };
  look(root);
  if (found?.what === "key") found.node.children = found.node.children.filter((c) => c.key !== sentinel);
  return found;
}

// pathOf is the path of a node, such as topology.parts[0].kind.
export function pathOf(n) {
  if (!n?.parent) return "";
  const above = pathOf(n.parent);
  return n.item !== null ? `${above}[${n.item}]` : above ? `${above}.${n.key}` : n.key;
}

// childNamed is the child of a node with a key.
export function childNamed(n, key) { return n?.children.find((c) => c.key === key); }
