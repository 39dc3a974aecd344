// What the page can do by keyboard, and what its words mean.
import { element, section, table } from "./dom.js";

// keys are the keys of the page by their views.
const keys = { header: ["where", "key", "what it does"], rows: [
  ["everywhere", "?", "list the keys"],
  ["runs", "/", "search"],
  ["runs", "↑ ↓ Page Up Page Down Home End", "go through the runs"],
  ["runs", "Enter", "open a run"],
  ["runs", "Space", "select a run to compare; Esc selects none"],
  ["figure", "+ −", "zoom"],
  ["figure", "← → Home End", "go through the points and tell the values of all curves"],
  ["figure", "Shift with ← →", "move what is zoomed"],
  ["figure", "0", "show all"],
  ["network", "← → Page Up Page Down", "go through the steps"],
  ["network", "↑ ↓", "go through the nodes"],
  ["network", "Space", "play and pause"],
  ["write", "Ctrl-Space", "complete"],
  ["write", "Tab", "indent; with Shift back; after Esc, Tab leaves the editor"],
  ["write", "Ctrl-/", "comment lines, and back"],
  ["write", "F8", "next fault; with Shift the one before"],
  ["write", "↑ ↓ Enter Tab", "choose among completions, and take one"],
  ["write", "Esc", "close completions, and what the pointer shows"],
  ["write", "Ctrl-S", "save, where starling ui has a folder for it (--save)"],
] };

// openKeys lists the keys above the page until Esc or the button closes them.
export function openKeys() {
  if (document.querySelector("dialog[open]")) return;
  const box = element("dialog", { class: "keys-box", "aria-label": "keys" }, element("h2", {}, "Keys"), table(keys, "list of keys"),
    element("form", { method: "dialog" }, element("button", { autofocus: true }, "Close")));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

export function show(place) {
  document.title = "Starling: help";
  place.append(element("h1", {}, "Help"),
    section("Keys", table(keys, "keys")),
    section("Search", element("p", {}, "Words have to occur in the scenario of a run, its arms, tags, hash or digest. ",
      element("code", {}, "mechanism.epsilon<=1"), " and the like are conditions on values of the scenario or its arms (= != < <= > >=), and ",
      element("code", {}, "#paper"), " is a tag.")),
    section("Write", element("p", {}, "The program checks a scenario after each change. The page says what a run of a scenario without faults would take. Run starts it as ",
      element("code", {}, "starling run"), " would, in a process of its own: Stop interrupts it, Go on takes it up again, and when starling ui ends its runs are interrupted, too. ",
      "A text names files of the folder in which starling ui was started. The page saves files only in the folder of ", element("code", { class: "flag" }, "--save"), ".")),
    section("Status", table({ header: ["status", "what it means"], rows: [
      ["running", "a process is at work on the run"],
      ["waiting", "the run was interrupted; the same command goes on"],
      ["failed", "the last start of the run ended with an error; where some arms failed, the others are shown"],
      ["damaged", "something in the folder of the run was deleted or changed"],
      ["complete", "all is done, and the files are what the run wrote"],
    ] }, "status")));
  return {};
}
