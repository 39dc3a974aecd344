// Questions to the server, and what it tells of changes.
const { token, address, early } = globalThis.starlingRoute;

// Failure is an answer that is an error: its text, the status, and the issues of a scenario.
export class Failure extends Error {
  constructor(status, body) {
    super(body.error || `the server answers ${status}`);
    this.status = status;
    this.issues = body.issues || [];
  }
}

// answered asks, unless there is a response already.
async function answered(path, options = {}, there = null) {
  let response;
  try {
    response = await (there ?? fetch(path, { ...options, headers: { ...options.headers, Authorization: "Bearer " + token } }));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, { error: "The server does not answer. Is starling ui still running?" });
  }
  if (response.ok) return response;
  let body = {};
  try { body = await response.json(); } catch { /* no JSON: the status has to do */ }
  throw new Failure(response.status, body);
}

// ask asks for JSON, or takes the answer that was asked for ahead.
export async function ask(name, parameters, signal) {
  const path = address(name, parameters), response = early.get(path);
  early.delete(path);
  return (await answered(path, { signal }, response)).json();
}

// file asks for a file.
export async function file(name, parameters) { return (await answered(address(name, parameters))).blob(); }

// sourceOf is the address of a file for an element that loads it itself, such as an image.
export const sourceOf = (name, parameters) => address(name, { ...parameters, token });

// tell asks for something to be done.
export async function tell(name, body, signal) {
  return (await answered("/api/" + name, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" }, signal })).json();
}

// listen calls changed for what changes in the folder, and connected when the server comes
// and goes. Of all tabs one listens and tells the others: a browser opens six connections to
// a server and no more, and each that listens has one.
export function listen(changed, connected) {
  const name = "starling events " + token;
  const channel = new BroadcastChannel(name);
  const take = { runs: changed, connected };
  channel.addEventListener("message", ({ data }) => take[data.kind](data.value));
  const say = (kind, value) => { take[kind](value); channel.postMessage({ kind, value }); };
  navigator.locks.request(name, () => new Promise(() => { // held until the tab is closed
    const source = new EventSource("/api/events?token=" + encodeURIComponent(token));
    source.addEventListener("hello", () => say("connected", true));
    source.addEventListener("runs", (event) => say("runs", JSON.parse(event.data)));
    source.addEventListener("error", () => say("connected", false));
  }));
}
