// What a run sets otherwise than other runs of its scenario, as people read it.

// lengths are keys of the length of a run and of its seeds. They tell runs apart, and say little of them.
const lengths = ["horizon", "seeds.base", "seeds.count"];

// lastOf is the last word of a key; of topology.kind it is topology.
function lastOf(key) {
  const parts = key.split(".");
  return parts.at(-1) === "kind" && parts.length > 1 ? parts.at(-2) : parts.at(-1);
}

// keyName is the last word of a key, or more of it where another key has the same. Seeds keep both words.
export function keyName(key, keys = []) {
  if (key.startsWith("seeds.")) return key;
  const short = lastOf(key);
  return keys.some((other) => other !== key && lastOf(other) === short) ? key : short;
}

// said is a key with its value, such as ε = 2, or ring for topology.kind.
function said(key, value, keys, short) {
  if (/(^|\.)epsilon$/.test(key)) return value === "none" ? "no noise" : `ε = ${value}`;
  if (short && key.endsWith(".kind") && !/[,{[]/.test(value)) return value;
  return `${keyName(key, keys)} = ${value}`;
}

// settingsText has the values of keys in one line: those of lengths last, and only those of plain keys, or of
// lengths, where it is asked so. short leaves out the keys of kinds, and most is the number of keys that are named.
export function settingsText(differs, { most = Infinity, plain = true, sizes = true, short = false } = {}) {
  const keys = Object.keys(differs || {}), others = plain ? keys.filter((key) => !lengths.includes(key)).sort() : [];
  const listed = [...others, ...(sizes ? lengths.filter((key) => keys.includes(key)) : [])];
  const text = listed.slice(0, most).map((key) => said(key, differs[key], keys, short)).join(short ? " · " : ", ");
  return listed.length > most ? text + " …" : text;
}
