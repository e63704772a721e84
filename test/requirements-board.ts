import type { Requirement } from "./requirements.ts";

const BOARD = "test/e2e/board.slow.test.ts";
const ACTS = "test/e2e/board-acts.slow.test.ts";
const PERSON = "src/runtime/person.test.ts";
const GATE = "src/runtime/signed-gate.test.ts";

/** The server of `pawl board`: who gets in, what is done there, what is shown live. */
export const BOARD_SERVER: Readonly<Record<string, Requirement>> = {
  "board.door": {
    says: "The board answers only a browser that was let in by its address, and only its own page there.",
    source: "docs/security.md, The board",
    tests: [
      `${BOARD}: opens one browser by its address, once, with a cookie that no script reads and no other site sends`,
      `${BOARD}: shows nothing of %s without the cookie`,
      `${BOARD}: refuses a request with %s, whatever its cookie`,
      `${BOARD}: refuses a change %s`,
      `${BOARD}: takes no %s: no preflight ever succeeds`,
      `${BOARD}: changes nothing for a GET, and knows no other address`,
      `${BOARD}: serves no file at %s`,
      `${BOARD}: tells the browser to run only its own files, to show it in no frame, and to keep nothing`,
      `${BOARD}: is bound to loopback alone`,
      "src/adapters/process/open-browser.test.ts: is given the address, and nothing of the environment but what it needs",
      "src/adapters/process/open-browser.test.ts: is not opened where there is no desktop",
    ],
  },
  "board.limits": {
    says: "Nobody exhausts the board: bodies, connections, streams and the time of a request are limited.",
    source: "docs/security.md, The board",
    tests: [
      `${BOARD}: takes no more than its limit of a body, whether or not the length is said`,
      `${BOARD}: serves only so many streams at once, and takes another where one has ended`,
      `${BOARD}: closes a connection that asks nothing`,
      `${BOARD}: holds back nothing but itself for a reader that does not read, and leaves nothing behind in memory`,
    ],
  },
  "board.agents": {
    says: "An agent decides nothing by the board: neither by a board of its own, nor by the person's.",
    source: "docs/security.md, The board",
    tests: [
      `${BOARD}: only shows, and nobody is led to it`,
      `${BOARD}: gets in neither by the address that it has read, nor with the cookie of the person's browser`,
    ],
  },
  "board.users": {
    says: "On Linux the board closes every connection of another user of the machine before it reads a byte.",
    source: "docs/security.md, The board",
    tests: [`${BOARD}: gets not a byte, whatever they know`],
  },
  "board.place": {
    says: "While a board runs, the project's state folder says where, without its secret; a stale place is recognised.",
    source: "docs/board.md",
    tests: [
      `${BOARD}: is in the state folder while it runs, for its user alone and without its secret`,
      `${BOARD}: is known to be stale where its process is gone, and is taken by the next`,
    ],
  },
  "board.live": {
    says: "The live stream resumes without a miss, also over a restart and a rotated log, or says that it cannot.",
    source: "docs/board.md",
    tests: [
      `${BOARD}: says what happened as it happens, and resumes without a miss: later, by another server, over a rotated log`,
      `${BOARD}: says where it cannot resume: a log that was cut, or is gone, or a reader too far behind`,
      `${BOARD}: opens no file and watches none while nobody listens`,
      "src/surfaces/board/server/stream.test.ts: gets what it missed, also of a log that is two",
    ],
  },
  "board.bursts": {
    says: "However much happens, a page takes a small share of the server's time, shows the first of it at once and the last of it soon.",
    source: "team, Proof (figures)",
    tests: [
      "src/surfaces/board/client/bursts.test.ts: asks at once for the first, and soon for the others where an answer costs nothing",
      "src/surfaces/board/client/bursts.test.ts: takes a small share of the time of a server for which an answer is work, and still shows the last",
      "src/surfaces/board/client/bursts.test.ts: asks at once for each event where these come seldom, also where an answer is work",
      "src/surfaces/board/client/bursts.test.ts: never rests for longer than some seconds, and asks nothing more once it is left",
    ],
  },
  "board.verdict": {
    says: "A verdict on the board is the same transaction as `pawl approve`, with a strength of its own, on the version that was read.",
    source: "docs/board.md",
    tests: [
      `${ACTS}: moves the run as \`pawl approve\` does, with the board's strength, and answers with a receipt`,
      `${ACTS}: sends back with points, each at its place, for the next prompt`,
      `${ACTS}: counts once where two tabs race for it: the other is refused, and sees what became of it`,
      `${ACTS}: is enough for a gate that asks for %s`,
      `${ACTS}: is refused on a board that only shows, and where the request is not as it should be`,
      `${PERSON}: over %s with %o is %s`,
      `${GATE}: that is given on the board is enough for %s: %s`,
    ],
  },
  "board.strays": {
    says: "Files that changed where they may not are shown on the board before a verdict counts, and only a yes to exactly them accepts them.",
    source: "docs/board.md",
    tests: [
      "test/e2e/stray-edits.slow.test.ts: are shown on the board before a verdict counts there, and only a yes to exactly them accepts them",
    ],
  },
  "board.signed": {
    says: "Where a gate is signed, the board shows the record, wants the digits of its hash, and signs it or says to use the terminal.",
    source: "docs/board.md",
    tests: [
      `${ACTS}: shows the record first, and counts with the digits of its hash, signed`,
      `${ACTS}: is asked for anew where another verdict is sent with the record of the first`,
      `${ACTS}: goes to the terminal where the key asks for what the board cannot give`,
    ],
  },
  "board.pages": {
    says: "The board shows tasks, costs, runs in their tables, and tries an event without doing it.",
    source: "docs/board.md",
    tests: [
      `${ACTS}: show the columns, what depends on what, what overlaps, and take a person's answer and stop`,
      `${ACTS}: show what each run cost and why, what is at a gate, and let it be approved there`,
      `${ACTS}: show the runs, the tables with their proofs, and try an event without doing it`,
      `${ACTS}: are of several projects, each with a key of its own; one that cannot be read keeps the others as they are`,
    ],
  },
  "board.hostile": {
    says: "Hostile content reaches the page as data, cleaned where a sentence is Pawl's own, and fails nothing.",
    source: "docs/board.md",
    tests: [
      `${ACTS}: pass on hostile content as data, cleaned where it is Pawl's own sentence, and never fail on it`,
    ],
  },
};
