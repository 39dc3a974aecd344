"use strict";
// Where the page is, by the part of its address after #. The document has it in itself: it asks for what the address names at once, so that the answer comes while the modules
// that show it are loaded. It defines starlingRoute.
(() => {
  const names = ["runs", "run", "compare", "write", "help"];

  // The token is in the address of the page, goes into a header, and is kept nowhere.
  const token = new URL(location.href).searchParams.get("token") || "";

  // routeOf reads the address: #/view/part/part?key=value.
  function routeOf() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?", 2);
    const [name, ...parts] = path.split("/").map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
    return { name: names.includes(name) ? name : "runs", parts, query: new URLSearchParams(query || "") };
  }

  // address is that of a question to the server, with parameters that may be lists. What is
  // empty is left out.
  function address(name, parameters = {}) {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== "" && one !== null && one !== undefined && one !== false) query.append(key, String(one));
      }
    }
    const text = query.toString();
    return "/api/" + name + (text ? "?" + text : "");
  }

  // chosenIn is what an address says of a figure.
  function chosenIn(query) {
    const q = Object.fromEntries(["y", "x", "by", "facet", "hue", "dash", "band", "at"].map((key) => [key, query.get(key) || ""]));
    for (const key of ["log_x", "log_y", "per_step"]) q[key] = query.get(key) === "true";
    q.arm = query.getAll("arm");
    return q;
  }

  // early are responses, by their path, that the first view takes.
  const early = new Map();

  function ahead(name, parameters) {
    const path = address(name, parameters), response = fetch(path, { headers: { Authorization: "Bearer " + token } });
    response.catch(() => {}); // whoever takes it is told
    early.set(path, response);
  }

  const { name, parts: [id = "", part], query } = routeOf();
  if (name === "runs") ahead("runs");
  if (name === "run") ahead("run", { id });
  if (name === "run" && part === "figures" && query.get("y")) ahead("figure", { id, ...chosenIn(query) });

  // The modules of a run are requested at once, so that none waits for another that imports it.
  if (name === "run") {
    for (const module of ["uPlot", "chart", "run", "live", "first", "events", "figures", "privacy", "pairs", "network", "exposure", "drawing", "colours"]) {
      document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: document.currentScript.dataset.base + module + ".js" }));
    }
  }

  globalThis.starlingRoute = { token, routeOf, address, chosenIn, early };
})();
