import type { Requirement } from "./requirements.ts";

const APP = "test/e2e/mcp-app.slow.test.ts";
const NONCES = "src/surfaces/mcp/app/nonces.test.ts";
const WINDOW = "test/browser/app.slow.test.ts";
const WAKE = "src/surfaces/mcp/wake.test.ts";
const LED = "test/e2e/mcp-board.slow.test.ts";

/** What the MCP server promises. */
export const MCP: Readonly<Record<string, Requirement>> = {
  "mcp.both-eras": {
    says: "Clients of the 2026-07-28 and of the 2025 revisions are served, and see answers as text and as data.",
    source: "design, Ground",
    tests: ["test/e2e/mcp.test.ts: moves a run, and answers with text and structured content"],
  },
  "mcp.stdout": {
    says: "Nothing but the protocol is on standard output.",
    source: "design, idea 5",
    tests: [
      "test/e2e/mcp-process.test.ts: writes nothing but the protocol to its output, whatever else writes there",
    ],
  },
  "mcp.ends-after-answers": {
    says: "What a client asked before it ended its input is done, and answered where it needs nothing more.",
    source: "docs/mcp.md",
    tests: [
      "test/e2e/mcp-process.test.ts: answers a handshake and what comes with it where its input ends at once",
      "test/e2e/mcp-process.test.ts: finishes what it was asked to do when its input ends, and exits with 0",
    ],
  },
  "mcp.strict-arguments": {
    says: "An argument that a tool does not know is refused with the name that was probably meant; nothing changes.",
    source: "design, Conventions (errors)",
    tests: [
      "test/e2e/mcp-arguments.test.ts: are closed, and each says what it means",
      "test/e2e/mcp-arguments.test.ts: are refused where one is unknown, with the name that was probably meant, and nothing changes",
      "src/core/faults.test.ts: says the same in whatever language zod speaks",
    ],
  },
  "mcp.rejection-reason": {
    says: "A model that rejects says why.",
    source: "alfred, Machines (feedback of a rejection)",
    tests: ["test/e2e/mcp-arguments.test.ts: refuses a rejection without a reason"],
  },
  "mcp.output-schema": {
    says: "Every reply of every tool, refusals and errors too, fits the tool's own output schema.",
    source: "alfred, Tools; the protocol's output schemas",
    tests: [
      "test/e2e/mcp-strict-clients.slow.test.ts: is given every tool's successes, questions, refusals and errors in a form that fits them",
    ],
  },
  "mcp.tokens": {
    says: "The list of all tools costs at most 2,500 tokens, and a life of one task 16,000 for a client that is known to show its model one part.",
    source: "the budget of the surface; bench/tokens.ts",
    tests: [
      "test/e2e/mcp-tokens.slow.test.ts: the tools and a life of one task cost a model no more tokens than promised, for a client that shows it the %s",
    ],
  },
  "mcp.words-reach-the-model": {
    says: "A reply's words are in both parts of an answer; only a client whose version is known to show its model one part gets them in that part alone. Nothing is logged unasked.",
    source: "alfred, Tools (next_prompt is in the result)",
    tests: [
      "test/e2e/mcp-readers.test.ts: are in both parts, for a client that nobody knows",
      "test/e2e/mcp-readers.test.ts: are in both parts, for a version of a client that nobody looked at, and for one that shows both",
      "test/e2e/mcp-readers.test.ts: are the text alone, for a client whose model is shown the text",
      "test/e2e/mcp-readers.test.ts: are in the data alone, for a client whose model is shown the data",
      "src/surfaces/mcp/shown.test.ts: is the one that the client shows its model: %j",
      "src/surfaces/mcp/shown.test.ts: is both for versions that nobody looked at: %j",
      "test/e2e/mcp.test.ts: logs nothing to a client that did not ask for it",
    ],
  },
  "text.linear": {
    says: "Text by others is read in linear time, or refused by name.",
    source: "trust, a hostile or broken file",
    tests: ["test/linear.slow.test.ts: is read within two seconds, or refused in Pawl's own words: %s"],
  },
  "mcp.cancel": {
    says: "A call that is called off before its commit commits nothing; a long wait tells of its progress.",
    source: "design C1; the protocol's cancellation and progress",
    tests: [
      "test/e2e/mcp-cancel.slow.test.ts: commits nothing, whatever it waited for; its check runs on",
      "test/e2e/mcp-cancel.slow.test.ts: a submit_work that is called off writes nothing, and ends its checks with all their processes",
      "test/e2e/mcp-cancel.slow.test.ts: is told of the progress of a long wait, where it asked for that",
    ],
  },
  "fetch.limits": {
    says: "What a service answers is cut off at 10 MB and 30 s in all, for each of the services' clients.",
    source: "trust, a hostile or broken service",
    tests: [
      "src/adapters/net/limits.test.ts: is cut off by the clients of Jira and of Confluence, and the failure says why",
      "src/adapters/net/limits.test.ts: is cut off by the client of GitHub",
      "src/adapters/net/limits.test.ts: is cut off by the client that opens pull requests, whatever it asks for",
      "src/adapters/net/limits.test.ts: is cut off by the client of Linear",
    ],
  },
  "mcp.resources": {
    says: "A task, its plan, its scratchpad and its review can be read as resources; what fails keeps its fix.",
    source: "alfred, Files; the protocol's resources",
    tests: [
      "test/e2e/mcp-resources.test.ts: offer a task, its plan, its scratchpad and its review, by template, in the list, and completed",
      "test/e2e/mcp-resources.test.ts: keep the fix where they cannot be read",
      "test/e2e/mcp-resources.test.ts: refuse arguments of a prompt that are missing or unknown, with the fix",
    ],
  },
  "mcp.relayed-verdict": {
    says: "Where a tool may pass on a person's verdict, the client is told to ask the person before each call.",
    source: "docs/mcp.md, When the server asks a person",
    tests: ["test/e2e/mcp-human.test.ts: needs the person for each call only where it does so: %s, %s"],
  },
  "mcp.app": {
    says: "A client that shows apps shows the board's review inside itself, at 320 pixels, by keyboard and in its colours; all others see nothing of it.",
    source: "board, Inside the client",
    tests: [
      `${APP}: is there for one that shows apps, in no list of any other, and is not read by it`,
      `${APP}: names to the app, and to no model, the run that a call left at a gate`,
      `${WINDOW}: is sent back with a point on a line, and then approved, by keyboard alone; the assistant is told`,
      `${WINDOW}: breaks no rule of accessibility and fits, %i pixels wide, %s`,
      `${WINDOW}: wears the client's theme and colours, and changes with them`,
      `${WINDOW}: asks for as much room as it needs, scrolls in itself beyond that, and fills the client when asked to`,
    ],
  },
  "mcp.app-verdict": {
    says: "A verdict given in a client's app is the same transaction as everywhere, is worth the client's word, and counts only with the one-time nonce of the version that was read.",
    source: "board, Inside the client",
    tests: [
      `${APP}: takes a verdict once, as the client's word, and says what it decided`,
      `${APP}: sends back with points, each at its place`,
      `${APP}: decides nothing without its nonce, with a used one, or with one of another run, version or connection`,
      `${APP}: is refused where what is judged has changed since it was read`,
      `${APP}: is not enough for a gate that wants %s: the page says so first`,
      `${APP}: is refused at a gate that was raised after the review was read`,
      `${APP}: is no verdict in a terminal, where a task's human review must be one`,
      `${APP}: is asked once more where files changed that may not, and a yes to exactly them accepts them`,
      `${APP}: counts over HTTP for the client that read the review, of %s`,
      `${APP}: The app is about the runs of the served tools alone: tasks of agents are decided elsewhere`,
      `${NONCES}: counts once`,
      `${NONCES}: does not count for %s, and afterwards for none`,
      `${NONCES}: does not count on another connection, nor where nobody issued it`,
      `${NONCES}: counts until its time is over`,
      `${NONCES}: stays one of few: of too many the oldest go`,
      `${WINDOW}: takes one of two windows' verdicts, and keeps the words of the other`,
      `${WINDOW}: decides nothing on a version that is no longer the present one, and then shows that`,
      `${WINDOW}: says where to decide instead, where a verdict given in a client is too weak`,
    ],
  },
  "mcp.app-hostile": {
    says: "No text of a review runs in the app, and its nonce is in nothing that a model reads.",
    source: "docs/security.md, The review inside a client",
    tests: [
      `${APP}: never shows its nonce to a model, a log or a file`,
      `${WINDOW}: lets nothing run that a text brings along, and shows what is invisible`,
    ],
  },
  "mcp.led-to-the-board": {
    says: "A client without apps that leads people to an address is given the board's page; the answer is read from the run. Others get the address in the reply at a gate while a board runs, and the commands where they can ask nobody.",
    source: "board, Inside the client",
    tests: [
      `${LED}: is given the board's page of the run, and the answer is what the person decided there`,
      `${LED}: decides nothing where the person chooses to %s`,
      `${LED}: decides nothing by the client's word alone: it is called off, and the run waits as before`,
      `${LED}: has the board's address in the reply that leaves a run at a gate, and none where no board runs`,
    ],
  },
  "mcp.woken": {
    says: "A client that subscribed to a resource of a run, or wants log messages, is told once when a person has decided at its gate elsewhere. A subscription is answered when no verdict from then on is missed, or refused.",
    source: "board, Inside the client",
    tests: [
      `${LED}: is told when a person has decided elsewhere, over %s`,
      `${LED}: tells a client of 2026 that says nothing before it subscribes`,
      `${WAKE}: has begun when no verdict from then on is missed, and tells of none before`,
      `${WAKE}: tells of a verdict that came before its watch`,
      `${WAKE}: is let through once nothing is missed, and what came behind it waits behind it`,
      `${WAKE}: is answered once nothing is missed; other requests do not wait`,
      `${WAKE}: is answered once nothing is missed`,
      `${WAKE}: is refused where the log cannot be read`,
      `${WAKE}: is told once of each verdict, however many others there are`,
    ],
  },
};
