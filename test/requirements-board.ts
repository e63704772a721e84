import type { Requirement } from "./requirements.ts";

/** The server of `pawl board`: who gets in, what is done there, what is shown live. */
export const BOARD_SERVER = {
  "board.door": {
    says: "The board answers only a browser that was let in by its address, and only its own page there.",
    source: "docs/security.md, A stranger uses the board",
  },
  "board.limits": {
    says: "Nobody exhausts the board: bodies, connections, streams and the time of a request are limited.",
    source: "docs/security.md, A stranger uses the board",
  },
  "board.agents": {
    says: "An agent decides nothing by the board: neither by a board of its own, nor by the person's.",
    source: "docs/security.md, A stranger uses the board",
  },
  "board.users": {
    says: "On Linux the board closes every connection of another user of the machine before it reads a byte.",
    source: "docs/security.md, A stranger uses the board",
  },
  "board.place": {
    says: "While a board runs, the project's state folder says where, without its secret; a stale place is recognised.",
    source: "docs/board.md",
  },
  "board.live": {
    says: "The live stream resumes without a miss, also over a restart and a rotated log, or says that it cannot.",
    source: "docs/board.md",
  },
  "board.bursts": {
    says: "However much happens, a page takes a small share of the server's time, shows the first of it at once and the last of it soon.",
    source: "team, Proof (figures)",
  },
  "board.verdict": {
    says: "A verdict on the board is the same transaction as `pawl approve`, with a strength of its own, on the version that was read.",
    source: "docs/board.md",
  },
  "board.out-of-scope-edits": {
    says: "Files that changed where they may not are shown on the board before a verdict counts, and only a yes to exactly them accepts them.",
    source: "docs/board.md",
  },
  "board.signed": {
    says: "Where a gate is signed, the board shows the record, wants the digits of its hash, and signs it or says to use the terminal.",
    source: "docs/board.md",
  },
  "board.pages": {
    says: "The board shows tasks, costs, runs in their tables, and tries an event without doing it.",
    source: "docs/board.md",
  },
  "board.hostile": {
    says: "Hostile content reaches the page as data, cleaned where a sentence is Pawl's own, and fails nothing.",
    source: "docs/board.md",
  },
} satisfies Record<string, Requirement>;
