// Which view the page shows. A view is a module with show(place, route): it fills an element,
// and returns what to call when the folder changes, when the address changes within the view,
// and when the view goes.
import { element } from "./dom.js";
import { listen } from "./api.js";
import * as runs from "./runs.js";

const { routeOf, early } = globalThis.starlingRoute;

// The other views are loaded when they are looked at, and after the scripts that draw charts, for which
// the table of runs does not wait.
const drawn = async (view) => { await import("./uPlot.js"); await import("./chart.js"); return import(view); };
const views = { runs: () => runs, run: () => drawn("./run.js"), compare: () => drawn("./compare.js"), write: () => drawn("./write.js"), help: () => import("./help.js") };
const place = document.getElementById("main");
const connection = document.getElementById("connection");
let current = null;

let turn = 0;
async function go() {
  const route = routeOf(), now = ++turn;
  if (current && current.name === route.name && current.view.moved?.(route)) return;
  const module = await views[route.name]();
  if (now !== turn) return;
  current?.view.close?.();
  place.replaceChildren();
  for (const link of document.querySelectorAll(".bar nav a")) {
    if (link.getAttribute("href") === "#/" + route.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const moved = current !== null;
  current = { name: route.name, view: module.show(place, route) };
  // What had the focus may be gone: the next Tab leads into the new view.
  if (moved && (document.activeElement === document.body || !document.activeElement)) place.focus({ preventScroll: true });
  scrollTo(0, 0);
}

// The question mark lists the keys, but for somebody who writes.
addEventListener("keydown", async (event) => {
  if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
  event.preventDefault();
  (await import("./help.js")).openKeys();
});

addEventListener("hashchange", () => { early.clear(); go(); }); // what nobody has taken is old by now
go();

listen((change) => current?.view.changed?.(change), (connected) => {
  connection.replaceChildren(connected ? "" : element("span", {}, "no connection: is starling ui still running?"));
  if (connected) setTimeout(() => current?.view.again?.(), 1500); // what has changed before is not told
});
