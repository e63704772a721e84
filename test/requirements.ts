import { ALFRED } from "./requirements-alfred.ts";

/**
 * Every behaviour that Pawl promises: what it says, the document that it comes from, and the tests that show it, as
 * `file: title`. requirements.test.ts fails for a promise without a test and for a test that is not there.
 */
import { BLOOM } from "./requirements-bloom.ts";
import { BOARD_SERVER } from "./requirements-board.ts";
import { BOARD_PAGE } from "./requirements-board-page.ts";
import { COMMAND_LINE } from "./requirements-cli.ts";
import { CLIENT_PACKAGES } from "./requirements-clients.ts";
import { TRUSTED_COMMITS } from "./requirements-commit.ts";
import { DATABASE } from "./requirements-database.ts";
import { EVIDENCE } from "./requirements-evidence.ts";
import { SIGNED_GATES } from "./requirements-gates.ts";
import { GUARD } from "./requirements-guard.ts";
import { IMPORT } from "./requirements-import.ts";
import { MCP } from "./requirements-mcp.ts";
import { NOTICES } from "./requirements-notices.ts";
import { OBSERVABILITY } from "./requirements-observability.ts";
import { POLICY } from "./requirements-policy.ts";
import { REVIEW } from "./requirements-review.ts";
import { SCOPES } from "./requirements-scopes.ts";
import { TEAM } from "./requirements-team.ts";

export interface Requirement {
  readonly says: string;
  readonly source: string;
  readonly tests: readonly string[];
}

const ENGINE = "src/engine";
const STORE = "src/adapters/files";

const TABLE: Readonly<Record<string, Requirement>> = {
  "workflow.one-folder": {
    says: "A workflow is one folder and one line: its tables, tools, verbs, texts, settings and events come with it.",
    source: "design, layout",
    tests: [
      "test/new-workflow.slow.test.ts: is built, with its types checked, and its table is proved",
      "test/new-workflow.slow.test.ts: has its settings in pawl.yaml, in the published schema and in `pawl config`",
      "test/new-workflow.slow.test.ts: is led to its end on the command line, with a person at its gate",
      "test/new-workflow.slow.test.ts: is led to its end by a client, through a crash of the server",
    ],
  },
  "table.one-row": {
    says: "Exactly one rule applies for every reachable configuration, event and facts.",
    source: "design T2",
    tests: [
      `${ENGINE}/check.property.test.ts: finds the gaps, overlaps, traps and dead rules that brute force over all facts finds`,
      `${ENGINE}/check.test.ts: shows a gap by its state, event and facts, and by the rules that lead there`,
    ],
  },
  "table.kept-facts": {
    says: "check follows variables: shared review states that ignore their source are refused.",
    source: "design T2; alfred, start_task",
    tests: [
      `${ENGINE}/review.test.ts: is refused where both approvals apply, with the state, event, facts and rules that show it`,
      `${ENGINE}/review.test.ts: is let through by a proof of one rule for everything that does not follow the variables`,
    ],
  },
  "table.reached": {
    says: "Every state and every rule is reached, and no run is trapped.",
    source: "design T2",
    tests: [
      `${ENGINE}/check.test.ts: finds the state and the rules that no run comes to`,
      `${ENGINE}/check.test.ts: finds the configuration that no way leads out of, though its state has ways out`,
    ],
  },
  "table.replies": {
    says: "Every rule has its reply and every reply its rule.",
    source: "design T2",
    tests: [`${ENGINE}/check.test.ts: matches rules and replies both ways`],
  },
  "table.all-violations": {
    says: "check reports every violation, not the first.",
    source: "design T2",
    tests: [`${ENGINE}/check.test.ts: reports all that is wrong, not the first of it`],
  },
  "table.unreachable-on-disk": {
    says: "A configuration on disk that is not reachable is an error, said as such.",
    source: "design T2",
    tests: ["test/e2e/alfred-gates.test.ts: a position that no run can come to is said to be one"],
  },
  "table.xstate-agrees": {
    says: "The exported XState machine agrees with decide.",
    source: "design, idea 1",
    tests: [
      `${ENGINE}/check.property.test.ts: is decided as XState decides it`,
      `${ENGINE}/diagram.test.ts: is caught by the oracle where it differs in one rule`,
    ],
  },
  "table.shipped": {
    says: "The shipped tables are proved.",
    source: "alfred, spells, bloom",
    tests: [
      `${ENGINE}/review.test.ts: is proved`,
      "src/workflows/spells/table.test.ts: the table is proved: one rule for each combination, all reached, no trap, each reply matched",
      "src/workflows/bloom/table.test.ts: is proved: one rule for every configuration, event and facts, no trap, nothing unreachable",
    ],
  },
};

const COMMIT: Readonly<Record<string, Requirement>> = {
  "commit.all-or-nothing": {
    says: "Killed at any instant, the project is exactly as before or as after; a reported commit is never lost.",
    source: "design, idea 2; C3, C4",
    tests: [
      "test/crash/broken-laws.ts: the marker is trusted after a power cut (C5)",
      "test/e2e/spells-crash.slow.test.ts: at any call leaves state and files as before $row or as after it",
    ],
  },
  "commit.persons-save": {
    says: "A person's save is kept, redone or set aside, never lost.",
    source: "design C5",
    tests: [
      `${STORE}/store.test.ts: keeps a person's text aside, tells of it once, then writes`,
      `${STORE}/store.test.ts: redoes an edit on a person's text, and keeps nothing aside`,
      `${STORE}/store.test.ts: leaves nothing to replay: a person's later edit stays`,
    ],
  },
  "commit.disk-refuses": {
    says: "A commit whose files the disk refuses counts: reading shows it, every reply says how much waits for how much room, and the next commit finishes it first or is refused.",
    source: "docs/commit.md, A disk that refuses",
    tests: [
      `${STORE}/pending.test.ts: counts, and says how much waits for how much room`,
      `${STORE}/pending.test.ts: is what every later view reads and lists, however often, and what holds`,
      `${STORE}/pending.test.ts: keeps the next one out, which says why, and is finished by it once the disk works`,
      `${STORE}/pending.test.ts: a person's text in the way of what is pending is shown as it will be: the edit redone on it, or replaced`,
      "test/crash/broken-laws.ts: what is pending is not shown where the disk refuses to have it written (C3)",
      "test/e2e/full-disk.test.ts: status shows it, with the warning, and whoever moves next is at the new state",
      "test/e2e/full-disk.test.ts: a tool's answer says it too, in both of its parts",
      "test/e2e/full-disk.test.ts: the log has its event already, once and last",
      "src/adapters/events/read-events.test.ts: are told before they are in the file, where they are committed, and once",
    ],
  },
  "commit.append-once": {
    says: "A replayed append is there exactly once, and whole.",
    source: "design C6",
    tests: [
      `${STORE}/store.test.ts: appends again only where the id is missing`,
      `${STORE}/store.test.ts: completes an append that was cut in the middle`,
    ],
  },
  "commit.bad-journal": {
    says: "A bad tail is dropped; bad before good stops with an error that names pawl repair.",
    source: "design C7",
    tests: [
      `${STORE}/store.test.ts: drops a tail that was never committed`,
      `${STORE}/store.test.ts: stops with an error that names \`pawl repair\` when something bad is before something good`,
      `${STORE}/record.test.ts: with one byte changed, lose that record only, and say so when others follow`,
    ],
  },
  "commit.lock": {
    says: "A lock frees itself when its owner dies, is never stolen from a suspended one, and names its owner past a limit.",
    source: "design C2",
    tests: [
      `${STORE}/locks-between-processes.test.ts: is free at once when its owner is killed`,
      `${STORE}/locks-between-processes.test.ts: is not taken from a suspended owner; the error names it and since when`,
    ],
  },
  "commit.links-refused": {
    says: "Symbolic links and paths that leave the project are refused.",
    source: "design C2",
    tests: [
      `${STORE}/store.test.ts: refuses a symbolic link anywhere on the way, naming the component`,
      `${STORE}/store.test.ts: refuses to write through a symbolic link, and changes nothing`,
      `${STORE}/swapped.test.ts: leads none of its texts out of the project (%s)`,
      `${STORE}/swapped.test.ts: is named as what is in the way of what is committed, which is finished once it is a folder again`,
      "src/core/path.test.ts: accepts nothing that resolves outside",
    ],
  },
  "commit.decides-again": {
    says: "When what was read has changed, the advance decides again; nothing is waited for under a lock.",
    source: "design C1",
    tests: [
      "src/runtime/run-transaction.test.ts: decides again when what it read changed while it gathered",
      "src/runtime/run-transaction.test.ts: gathers outside every lock: another advance of the same run goes through meanwhile",
      `${STORE}/store.test.ts: answers \`changed\` and writes nothing when a file that was read has changed`,
    ],
  },
};

const SPELLS: Readonly<Record<string, Requirement>> = {
  "spells.rules": {
    says: "112 rules are the source's, the others fill its holes.",
    source: "spells; spells-transitions.json",
    tests: [
      "src/workflows/spells/table.test.ts: 112 rules are the source's, in its states, with its spells and next states",
      "src/workflows/spells/table.test.ts: every other rule is one for a hole, numbered from H1",
    ],
  },
  "spells.replies": {
    says: "What a reply claims agrees with the table and the files, in every case.",
    source: "spells, Replies",
    tests: [
      "src/workflows/spells/replies.test.ts: claims in every world only what the table and the files hold",
      "src/workflows/spells/replies.test.ts: quotes the source's explanations, minus spells that the table blocks",
      "src/workflows/spells/replies.test.ts: to Lumos begins with the source's header in every state, and no other reply has it",
      "test/e2e/spells-terminal.test.ts: introduces the workflow at each look, and its data have the header as it is written",
    ],
  },
  "spells.nothing-lost": {
    says: "No spell destroys what a person wrote, and archives never collide.",
    source: "spells, Files",
    tests: [
      "test/e2e/spells.test.ts: is set aside where a spell creates its file anew",
      "test/e2e/spells.test.ts: never collide: a second one in the same second gets a counter",
    ],
  },
  "spells.writes-nothing": {
    says: "Blocked casts, casts without effect and Lumos write nothing.",
    source: "spells",
    tests: [
      "test/e2e/spells.test.ts: a blocked cast and one without effect leave the state file and its history as they are",
    ],
  },
  "spells.one-transaction": {
    says: "A cast is one transaction, over processes, through a kill, and where it may not write.",
    source: "spells, Hard cases",
    tests: [
      "test/e2e/spells-crash.slow.test.ts: servers that cast at once take turns: each step is taken once, and the history tells of each",
      "test/e2e/spells-crash.slow.test.ts: (%s) is told by its path, nothing is changed, and what writes nothing works",
    ],
  },
  "spells.fetch": {
    says: "Expecto and Reparo fetch for themselves; what comes from outside is data; credentials stay at home.",
    source: "spells, Expecto and Reparo",
    tests: [
      "test/e2e/spells-expecto.test.ts: makes no fetched checkbox a criterion of the plan",
      "test/e2e/spells-expecto.test.ts: go to the configured address only, whatever host a link names",
      "test/e2e/spells-reparo.test.ts: says in the file what is missing, and a second Reparo fetches only that",
    ],
  },
};

const DEMO = "demo/trust.slow.test.ts";

const SURFACES: Readonly<Record<string, Requirement>> = {
  "demo.trust": {
    says: "An agent that lies, approves itself, overspends or leaves its worktree is stopped, for everyone to see; without the layer that stops it, the demo says that it came through.",
    source: "docs/demonstrations.md",
    tests: [
      `${DEMO}: need an empty home and nothing else, and no attempt comes through`,
      `${DEMO}: let every lie through where the rule only shows what it finds, and say so`,
      `${DEMO}: let a forger through at a gate that asks for no signature, and say so`,
      `${DEMO}: let every call be made under a budget that is large enough, and say so`,
      `${DEMO}: say that an attempt came through if a wall should stop it and does not`,
      `${DEMO}: are honest where there is no wall: it is told what was done, and what is open is not tried`,
    ],
  },
  "cli.errors": {
    says: "An error is two lines and never a stack trace.",
    source: "design, Conventions",
    tests: ["test/e2e/cli.test.ts: says so where there is no project, and never shows a stack trace"],
  },
  "cli.init-twice": {
    says: "pawl init creates what is missing and changes nothing twice.",
    source: "design, Layout",
    tests: ["test/e2e/cli.test.ts: creates what is missing, says so, and changes nothing the second time"],
  },
  "cli.project-root": {
    says: "The project is found by flag, environment or the nearest parent; a worktree's is the outer one.",
    source: "design, Project root",
    tests: [
      "src/config/project-root.test.ts: is the outer project from within one of its worktrees, which hold copies of its markers",
    ],
  },
  "cli.config": {
    says: "pawl.yaml wins over .alfred/config.yml, and every value's origin can be seen.",
    source: "design, Project root",
    tests: [
      "src/config/config.test.ts: lets pawl.yaml win over .alfred/config.yml, key by key, and tells where each value came from",
    ],
  },
  "errors.documented": {
    says: "Every error code has its heading in docs/errors.md.",
    source: "design, Conventions",
    tests: ["test/errors.test.ts: has a heading for every code, and no other"],
  },
};

const GATES: Readonly<Record<string, Requirement>> = {
  "gates.terminal": {
    says: "A verdict of the command line is asked for at the controlling terminal, and nothing that is piped in decides.",
    source: "docs/security.md, a person's word",
    tests: [
      "test/e2e/person.slow.test.ts: is refused where it is %s",
      "test/e2e/person.slow.test.ts: is no verdict where they type %j",
      "test/e2e/person.slow.test.ts: counts nothing that was typed before the question",
    ],
  },
  "gates.not-an-agent": {
    says: "A person's word is refused where this process or an ancestor is an agent's.",
    source: "docs/security.md, a person's word",
    tests: [
      "test/e2e/person.slow.test.ts: is refused to an agent %s",
      "test/e2e/bloom-persons-word.slow.test.ts: is not let go on by an agent's `%s`",
      "src/adapters/agents/ancestry.test.ts: is told by an ancestor's environment where its own was cleared",
    ],
  },
  "gates.seen-first": {
    says: "Who decides sees evidence and changes first, then what is approved, then an agent's words, quoted and cleaned.",
    source: "docs/security.md, a person's word",
    tests: [
      "test/e2e/person.slow.test.ts: is asked for at the terminal, with what was found first and an agent's words quoted and cleaned last",
      "test/e2e/bloom-persons-word.slow.test.ts: is approved by somebody who saw its checks, its changes and then its agent's words",
    ],
  },
  "gates.history": {
    says: "A state that does not follow from its own history is held until a person takes it as it is, which is recorded.",
    source: "docs/security.md, a person's word",
    tests: [
      "test/e2e/alfred-history.test.ts: is held for a person where it was edited to have %s",
      "test/e2e/alfred-history.test.ts: tells in which an edited state differs, and takes it only by a person's word, which is recorded",
      "test/e2e/custom-history.test.ts: is held where it was edited to have %s",
      "test/e2e/bloom-history.slow.test.ts: rests where it was edited to have %s",
      "test/e2e/bloom-history.slow.test.ts: goes on as it is once a person has accepted the edit at a terminal, and the record says so",
      "test/e2e/spells-history.test.ts: is held where it was edited to have %s",
      "src/runtime/record.test.ts: shows an edit to have %s",
    ],
  },
  "gates.history-git": {
    says: "A state that a checkout brings is held with what to do about it, and each way that is named leads on.",
    source: "docs/decisions/what-git-moves.md",
    tests: [
      "test/e2e/spells-git.test.ts: an older state that a checkout brings is held with what to do, and each way that it names leads on",
    ],
  },
  "gates.history-torn": {
    says: "Nobody who only looks is told of an edit where a commit is on its way into the files.",
    source: "docs/security.md, a person's word",
    tests: [
      "test/e2e/second-look.test.ts: %s is not told to be edited while a commit waits for its %s",
      "src/runtime/record.test.ts: finds nothing wrong where a commit came in between the looks at the file and at its record",
    ],
  },
  "gates.history-missing": {
    says: "A run without a record is held; a state of Spells that git brought without one goes on as it is, is shown as unproved, and begins one.",
    source: "docs/security.md, a person's word",
    tests: [
      "test/e2e/bloom-history.slow.test.ts: without a record is held, and goes on once a person has accepted it",
      "test/e2e/custom-history.test.ts: without the %s is an error with its line, and stays as it is",
      "test/e2e/alfred-history.test.ts: without a history is an error with its line, whether or not its steps were recorded",
      "test/e2e/spells-history.test.ts: is taken as it is where it has no record, is shown as unproved, and gets a record",
      "src/runtime/record.test.ts: begins with the next commit where there was none, and the run stays unproved until it begins anew",
    ],
  },
  "gates.history-edits": {
    says: "A held run keeps nobody from other tasks, and what a person writes into tasks.yaml counts as ever.",
    source: "docs/security.md, a person's word",
    tests: [
      "test/e2e/bloom-history.slow.test.ts: that was edited keeps nobody from the other tasks but those that depend on it",
      "test/e2e/bloom-history.slow.test.ts: takes what a person writes into tasks.yaml, as ever",
    ],
  },
  "gates.strength-shown": {
    says: "Each gate that a person decided is shown by `pawl status` and `pawl show`, with how strong the verdict is.",
    source: "docs/security.md, a person's word",
    tests: [
      "test/e2e/bloom-history.slow.test.ts: shows in its status and its story who decided, and how",
      "test/e2e/alfred-history.test.ts: is shown with each verdict of a person and how it came",
      "test/e2e/custom-history.test.ts: is shown with each verdict of a person and how it came",
    ],
  },
  "gates.strength": {
    says: "Every verdict says by which way it came, and none is told as a person's for a fact.",
    source: "docs/security.md, a person's word",
    tests: [
      "test/e2e/person.slow.test.ts: says in the log and the story how much it is worth, and never that a person gave it",
    ],
  },
};

export const REQUIREMENTS: Readonly<Record<string, Requirement>> = {
  ...TABLE,
  ...COMMIT,
  ...TRUSTED_COMMITS,
  ...DATABASE,
  ...ALFRED,
  ...SPELLS,
  ...BLOOM,
  ...EVIDENCE,
  ...POLICY,
  ...SIGNED_GATES,
  ...REVIEW,
  ...BOARD_SERVER,
  ...SCOPES,
  ...TEAM,
  ...SURFACES,
  ...COMMAND_LINE,
  ...MCP,
  ...IMPORT,
  ...NOTICES,
  ...OBSERVABILITY,
  ...CLIENT_PACKAGES,
  ...GUARD,
  ...BOARD_PAGE,
  ...GATES,
};
