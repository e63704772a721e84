import type { Requirement } from "./requirements.ts";

/** What the MCP server promises. */
export const MCP = {
  "mcp.both-eras": {
    says: "Clients of the 2026-07-28 and of the 2025 revisions are served, and see answers as text and as data.",
    source: "design, Ground",
  },
  "mcp.stdout": {
    says: "Nothing but the protocol is on standard output.",
    source: "design, idea 5",
  },
  "mcp.ends-after-answers": {
    says: "What a client asked before it ended its input is done, and answered where it needs nothing more.",
    source: "docs/mcp.md",
  },
  "mcp.strict-arguments": {
    says: "An argument that a tool does not know is refused with the name that was probably meant; nothing changes.",
    source: "design, Conventions (errors)",
  },
  "mcp.rejection-reason": {
    says: "A model that rejects says why.",
    source: "alfred, Machines (feedback of a rejection)",
  },
  "mcp.output-schema": {
    says: "Every reply of every tool, refusals and errors too, fits the tool's own output schema.",
    source: "alfred, Tools; the protocol's output schemas",
  },
  "mcp.tokens": {
    says: "The list of all tools costs at most 2,500 tokens, and a life of one task 16,000 for a client that is known to show its model one part.",
    source: "the budget of the surface; bench/tokens.ts",
  },
  "mcp.words-reach-the-model": {
    says: "A reply's words are in both parts of an answer; only a client whose version is known to show its model one part gets them in that part alone. Nothing is logged unasked.",
    source: "alfred, Tools (next_prompt is in the result)",
  },
  "text.linear": {
    says: "Text by others is read in linear time, or refused by name.",
    source: "trust, a hostile or broken file",
  },
  "mcp.cancel": {
    says: "A call that is called off before its commit commits nothing; a long wait tells of its progress.",
    source: "design C1; the protocol's cancellation and progress",
  },
  "fetch.limits": {
    says: "What a service answers is cut off at 10 MB, after 30 s without a byte and after 2 minutes in all, for each of the services' clients.",
    source: "trust, a hostile or broken service",
  },
  "fetch.proxy": {
    says: "Every request that leaves the machine takes the way of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, with a login too; a proxy that fails is named, and never its password.",
    source: "intake, Trackers",
  },
  "fetch.one-door": {
    says: "One place opens the connections to services; nothing else does, but what the database, the wall and the servers on this machine need.",
    source: "intake, Trackers",
  },
  "fetch.redirects": {
    says: "A redirect to another origin carries no credentials; one that is unsafe, endless or would repeat a writing is refused.",
    source: "intake, Trackers",
  },
  "fetch.words": {
    says: "What goes wrong with a service is said in Pawl's words: the address, what came, what to do; no words of a library.",
    source: "intake, Trackers",
  },
  "fetch.texts": {
    says: "Texts of Jira and Confluence, in each form that they have, keep code letter by letter, tables, nested lists, panels, mentions, struck text and ticks; what has no text is named.",
    source: "intake, Trackers",
  },
  "trackers.data-center": {
    says: "Jira and Confluence work as Cloud and as Data Center: personal access token, or user name and password; version 2; context paths.",
    source: "intake, Trackers",
  },
  "mcp.resources": {
    says: "A task, its plan, its scratchpad and its review can be read as resources; what fails keeps its fix.",
    source: "alfred, Files; the protocol's resources",
  },
  "mcp.relayed-verdict": {
    says: "Where a tool may pass on a person's verdict, the client is told to ask the person before each call.",
    source: "docs/mcp.md, When the server asks a person",
  },
  "mcp.app": {
    says: "A client that shows apps shows the board's review inside itself, at 320 pixels, by keyboard and in its colours; all others see nothing of it.",
    source: "board, Inside the client",
  },
  "mcp.app-verdict": {
    says: "A verdict given in a client's app is the same transaction as everywhere, is worth the client's word, and counts only with the one-time nonce of the version that was read.",
    source: "board, Inside the client",
  },
  "mcp.app-hostile": {
    says: "No text of a review runs in the app, and its nonce is in nothing that a model reads.",
    source: "docs/security.md, A model presses your buttons",
  },
  "mcp.led-to-the-board": {
    says: "A client without apps that leads people to an address is given the board's page; the answer is read from the run. Others get the address in the reply at a gate while a board runs, and the commands where they can ask nobody.",
    source: "board, Inside the client",
  },
  "mcp.woken": {
    says: "A client that subscribed to a resource of a run, or wants log messages, is told once when a person has decided at its gate elsewhere. A subscription is answered when no verdict from then on is missed, or refused.",
    source: "board, Inside the client",
  },
} satisfies Record<string, Requirement>;
