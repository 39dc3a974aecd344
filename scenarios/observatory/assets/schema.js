// What the schema of scenarios says of a place in one: which keys and values can stand there,
// and what a key means. The schema is that of the program (starling schema).
import { childNamed, pathOf, typing, under, outline } from "./outline.js";

// Schema answers questions about texts. Base returns the text of a scenario that another
// extends, or nothing while it is not known.
export class Schema {
  constructor(schema, base = () => "") {
    this.schema = schema;
    this.base = base;
  }

  // flat are the schemas that can hold for a node: references followed, and of alternatives
  // those that fit its kind.
  flat(schema, node, about = {}) {
    if (!schema || typeof schema !== "object") return [];
    const said = { description: schema.description ?? about.description, default: schema.default ?? about.default };
    if (schema.$ref) return this.flat(this.schema.$defs[schema.$ref.split("/").pop()], node, said);
    if (schema.if) return this.flat(childNamed(node, schema.if.required[0]) ? schema.then : schema.else, node, said);
    const choices = schema.oneOf || schema.anyOf;
    const own = { ...schema, ...said };
    if (!choices) return [own];
    if (schema.properties || schema.items) return [own]; // what the choices add are rules, and no keys
    const list = choices.flatMap((one) => this.flat(one, node, { ...said, description: one.properties?.kind ? one.description : said.description }));
    const kinds = list.filter((one) => one.properties?.kind);
    const kind = childNamed(node, "kind")?.value || this.inherited(node);
    const fits = kinds.filter((one) => one.properties.kind.const === kind);
    return fits.length > 0 ? fits : list.filter((one) => one.type !== "null" || choices.length === 1);
  }

  // inherited is the kind of a section in the scenario that the text extends.
  inherited(node) {
    let root = node;
    while (root?.parent) root = root.parent;
    for (let name = childNamed(root, "extends")?.value, turns = 0; name && turns < 10; turns++) {
      const base = outline(this.base(name) || "");
      let same = base;
      for (const part of pathOf(node).split(".")) same = childNamed(same, part);
      const kind = childNamed(same, "kind")?.value;
      if (kind) return kind;
      name = childNamed(base, "extends")?.value;
    }
    return "";
  }

  // raw are the schemas of a node, with references and alternatives.
  raw(node) {
    if (!node.parent) return [this.schema];
    if (swept(node.parent) && node.key !== null) {
      const found = this.rawAt(rootOf(node), node.key.split("."));
      return found.length === 0 || node.parent.key === "set" ? found : [{ type: "array", items: { anyOf: found }, description: found[0].description }];
    }
    return this.of(node.parent).flatMap((above) => {
      const below = node.item !== null ? above.items : above.properties?.[node.key] ?? (typeof above.additionalProperties === "object" ? above.additionalProperties : null);
      return below ? [below] : [];
    });
  }

  // rawAt are those of a path, such as mechanism.epsilon, with the kinds that a text has.
  rawAt(root, path) {
    let found = [this.schema], node = root;
    for (const key of path) {
      found = found.flatMap((one) => this.flat(one, node)).flatMap((one) => one.properties?.[key] ?? []);
      node = childNamed(node, key);
    }
    return found;
  }

  // of are the schemas that can hold for a node of a text.
  of(node) { return this.raw(node).flatMap((one) => this.flat(one, node)); }

  // complete lists what can stand at an offset of a text: {from, to, items}, each item with
  // label, insert, detail, text, and whether more is to be completed behind it.
  complete(text, offset, scenarios = []) {
    const place = typing(text, offset);
    if (!place) return null;
    const items = place.what === "key" ? this.keys(place, text) : this.values(place, scenarios);
    const word = place.word.toLowerCase();
    const rank = ({ label }) => (label.toLowerCase().startsWith(word) ? 0 : label.toLowerCase().includes(word) ? 1 : 2);
    const fitting = items.filter((one) => rank(one) < 2).sort((a, b) => rank(a) - rank(b));
    return { from: place.from, to: place.to, word: place.word, what: place.what, items: fitting };
  }

  keys({ node, colon, from }, text) {
    const there = new Set(node.children.map((child) => child.key)), items = [];
    const indent = from - (text.lastIndexOf("\n", from - 1) + 1);
    const paths = this.paths(node);
    if (paths) return paths.filter((one) => !there.has(one.path)).map((one) => ({ label: one.path, insert: one.path + (colon ? "" : ": "), ...one }));
    const seen = new Set();
    const schemas = this.of(node).filter((one) => one.properties);
    const undecided = schemas.length > 1 && schemas.every((one) => one.properties.kind);
    for (const schema of schemas) {
      for (const [key, property] of Object.entries(schema.properties)) {
        if (there.has(key) || seen.has(key) || (undecided && key !== "kind")) continue;
        seen.add(key);
        const required = schema.required?.includes(key);
        const flat = this.flat(property, null), block = !node.flow;
        const mapping = flat.length > 0 && flat.every((one) => one.properties || one.type === "object");
        const sections = mapping && flat.every((one) => one.properties?.kind);
        const pad = "\n" + " ".repeat(indent + 2);
        items.push({
          label: key, detail: [required && "required", ...facts(flat, property)].filter(Boolean).join(" · "), required,
          text: key === "kind" && undecided ? "the kind, which decides the other keys" : property.description ?? flat[0]?.description ?? "",
          insert: key + (colon ? "" : mapping ? (block ? ":" + pad + (sections ? "kind: " : "") : sections ? ": {kind: " : ": {") : ": "), again: !colon,
        });
      }
    }
    return items.sort((a, b) => Boolean(b.required) - Boolean(a.required));
  }

  values({ node }, scenarios) {
    if (node.key === "extends" && !node.parent?.parent) return scenarios.map(({ name, text }) => ({ label: name, insert: name, text, detail: "" }));
    const items = [], seen = new Set();
    const add = (value, text, detail = "") => {
      const label = String(value);
      if (seen.has(label) || typeof value === "object") return;
      seen.add(label);
      items.push({ label, insert: label, text: text || "", detail });
    };
    if (node.key === "kind" && node.parent) {
      for (const { properties } of this.raw(node.parent).flatMap((one) => this.everyKind(one))) {
        if (properties?.kind?.const !== undefined) add(properties.kind.const, properties.kind.description);
      }
    }
    for (const schema of node.key === "kind" && items.length > 0 ? [] : this.of(node)) {
      for (const value of schema.enum ?? (schema.const !== undefined ? [schema.const] : [])) add(value, schema.description, value === schema.default ? "default" : "");
      if (schema.type === "boolean") for (const value of [true, false]) add(value, schema.description, value === schema.default ? "default" : "");
      if (schema.default !== undefined && schema.type !== "boolean") add(schema.default, schema.description, "default");
    }
    return items;
  }

  // everyKind are the alternatives of a schema, with references followed.
  everyKind(schema) {
    if (schema.$ref) return this.everyKind(this.schema.$defs[schema.$ref.split("/").pop()]);
    const choices = schema.oneOf || schema.anyOf;
    return choices ? choices.flatMap((one) => this.everyKind(one)) : [schema];
  }

  // paths are those of values that a sweep can set, where a node is such a part of a sweep.
  paths(node) {
    if (!swept(node)) return null;
    const list = [];
    const look = (n) => {
      if (n.key !== null && n.parent && ["sweep", "plots", "name", "version", "extends", "description", "paper", "checkpoint", "measure"].includes(n.key) && !n.parent.parent) return;
      if (n.parent && n.key !== null && n.children.length === 0 && n.value !== "") {
        const [schema] = this.of(n);
        list.push({ path: pathOf(n), text: schema?.description ?? "", detail: "is " + n.value });
      }
      n.children.forEach(look);
    };
    look(rootOf(node));
    return list;
  }

  // explain says what the key at an offset means: {path, text, facts, from, to}; null where
  // there is none.
  explain(text, offset) {
    const root = outline(text), node = under(root, offset);
    if (!node || (node.key === null && node.item === null)) return null;
    const schemas = this.of(node);
    if (schemas.length === 0) return null;
    const kind = node.key === "kind" ? node.value : childNamed(node, "kind")?.value;
    const property = this.said(node);
    return { path: pathOf(node), text: property ?? schemas[0].description ?? "", facts: facts(schemas, schemas[0], kind), from: node.key === null ? node.at : node.from, to: node.key === null ? node.end : node.to };
  }

  // said is what the section above says of a key.
  said(node) {
    for (const above of node.parent ? this.of(node.parent) : []) {
      const property = node.item !== null ? above.items : above.properties?.[node.key];
      if (property?.description) return property.description;
    }
    return undefined;
  }
}

// swept tells whether a mapping of a sweep has paths as keys.
function swept(node) { const path = pathOf(node); return path === "sweep.grid" || path === "sweep.zip" || /^sweep\.list\[\d+\]\.set$/.test(path); }

function rootOf(node) { while (node.parent) node = node.parent; return node; }

const words = { integer: "an integer", number: "a number", string: "a text", boolean: "true or false", array: "a list", object: "a mapping" };

// facts are what a value may be: its type, limits, unit and default.
function facts(schemas, about) {
  const list = [];
  const types = [...new Set(schemas.map((one) => one.enum ? "one of " + one.enum.slice(0, 8).join(", ") + (one.enum.length > 8 ? ", …" : "") : one.const !== undefined && !one.properties ? String(one.const) : one.properties?.kind ? "a mapping with a kind" : words[one.type]).filter(Boolean))];
  if (types.length > 0 && types.length < 4) list.push(types.join(" or "));
  for (const [key, sign] of [["minimum", "≥"], ["exclusiveMinimum", ">"], ["maximum", "≤"], ["exclusiveMaximum", "<"]]) {
    const found = schemas.find((one) => one[key] !== undefined);
    if (found && Math.abs(found[key]) < 1e18) list.push(`${sign} ${found[key]}`);
  }
  const first = (key) => about[key] ?? schemas.find((one) => one[key] !== undefined)?.[key];
  if (first("x-range")) list.push(first("x-range"));
  if (first("x-unit") && first("x-unit") !== "none") list.push("in " + first("x-unit"));
  const usual = first("default");
  if (usual !== undefined && typeof usual !== "object") list.push("default " + usual);
  return list;
}
