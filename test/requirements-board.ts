import type { Requirement } from "./requirements.ts";

/** The server of `pawl board`: who gets in, what is done there, what is shown live. */
export const BOARD_SERVER = {
  "board.door": {
    says: "The board answers only a browser that was let in by its address, and only its own page there.",
    source: "docs/security.md, A stranger uses the board",
  },
  "board.devices": {
    says: "What the terminal of `pawl board --listen` alone shows lets another device in, once, within minutes; afterwards its passkey or its cookie does.",
    source: "review, From the phone",
  },
  "board.device-door": {
    says: "A board that listens serves https or this machine alone, answers one Host and Origin, limits how often one tries, and records each entrance and refusal.",
    source: "docs/security.md, A stranger uses the board from a phone",
  },
  "board.device-approval": {
    says: "A device approves with its passkey alone: by an assertion of a verified person over exactly that verdict, which counts once. Without one it reads, answers and rejects.",
    source: "review, From the phone",
  },
  "board.device-strength": {
    says: "A verdict of a device's passkey is recorded as `passkey`, with the device's name: stronger than `board`, weaker than `signed`.",
    source: "trust, 4",
  },
  "board.device-revoked": {
    says: "A revoked device loses its access at once: its requests are refused, and its open stream ends.",
    source: "review, From the phone",
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
  "board.queue": {
    says: "The board, and a worker with `--listen`, answer `/healthz` to anybody, and count the tasks and the workers by their state in `/metrics`, for who has the token.",
    source: "docs/observability.md",
  },
  "board.order": {
    says: "Where an agent's order in a run of an own workflow waits for a person, the run's page says why and takes an answer, or lets it try again, as `pawl cast` does: once, and only where it waits for that.",
    source: "review, 3 One page per task",
  },
  "board.edit-task": {
    says: "A person edits a task in a form on the board: they see the difference and each dangerous key before it is saved; a board that only shows, and a form that is out of date, save nothing.",
    source: "docs/board.md",
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
