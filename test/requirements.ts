/**
 * Every behaviour that Pawl promises, and the document that it comes from. The tests that show it cite it by its id:
 * `promise("table.one-row")`. test/checks/promises.test.ts fails for a promise that no test cites.
 */
import { ALFRED } from "./requirements-alfred.ts";

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
}

const TABLE = {
  "workflow.one-folder": {
    says: "A workflow is one folder and one line: its tables, tools, verbs, texts, settings and events come with it.",
    source: "design, layout",
  },
  "table.one-row": {
    says: "Exactly one rule applies for every reachable configuration, event and facts.",
    source: "design T2",
  },
  "table.kept-facts": {
    says: "check follows variables: shared review states that ignore their source are refused.",
    source: "design T2; alfred, start_task",
  },
  "table.reached": {
    says: "Every state and every rule is reached, and no run is trapped.",
    source: "design T2",
  },
  "table.replies": {
    says: "Every rule has its reply and every reply its rule.",
    source: "design T2",
  },
  "table.all-violations": {
    says: "check reports every violation, not the first.",
    source: "design T2",
  },
  "table.unreachable-on-disk": {
    says: "A configuration on disk that is not reachable is an error, said as such.",
    source: "design T2",
  },
  "table.xstate-agrees": {
    says: "The exported XState machine agrees with decide.",
    source: "design, idea 1",
  },
  "table.shipped": {
    says: "The shipped tables are proved.",
    source: "alfred, spells, bloom",
  },
} satisfies Record<string, Requirement>;

const COMMIT = {
  "commit.all-or-nothing": {
    says: "Killed at any instant, the project is exactly as before or as after; a reported commit is never lost.",
    source: "design, idea 2; C3, C4",
  },
  "commit.persons-save": {
    says: "A person's save is kept, redone or set aside, never lost.",
    source: "design C5",
  },
  "commit.disk-refuses": {
    says: "A commit whose files the disk refuses counts: reading shows it, every reply says how much waits for how much room, and the next commit finishes it first or is refused.",
    source: "docs/internals/commit.md, A disk that refuses",
  },
  "commit.append-once": {
    says: "A replayed append is there exactly once, and whole.",
    source: "design C6",
  },
  "commit.bad-journal": {
    says: "A bad tail is dropped; bad before good stops with an error that names pawl repair.",
    source: "design C7",
  },
  "commit.lock": {
    says: "A lock frees itself when its owner dies, is never stolen from a suspended one, and names its owner past a limit.",
    source: "design C2",
  },
  "commit.links-refused": {
    says: "Symbolic links and paths that leave the project are refused.",
    source: "design C2",
  },
  "commit.decides-again": {
    says: "When what was read has changed, the advance decides again; nothing is waited for under a lock.",
    source: "design C1",
  },
} satisfies Record<string, Requirement>;

const SPELLS = {
  "spells.rules": {
    says: "112 rules are the source's, the others fill its holes.",
    source: "spells; spells-transitions.json",
  },
  "spells.replies": {
    says: "What a reply claims agrees with the table and the files, in every case.",
    source: "spells, Replies",
  },
  "text.boxes": {
    says: "What looks like a box and is not exactly checked is not done, for Spells, own workflows and imports; code and front matter hold none, and a reply names the boxes that it does not understand.",
    source: "intake, Spells and checkboxes",
  },
  "spells.nothing-lost": {
    says: "No spell destroys what a person wrote, and archives never collide.",
    source: "spells, Files",
  },
  "spells.writes-nothing": {
    says: "Blocked casts, casts without effect and Lumos write nothing.",
    source: "spells",
  },
  "spells.one-transaction": {
    says: "A cast is one transaction, over processes, through a kill, and where it may not write.",
    source: "spells, Hard cases",
  },
  "spells.remotes": {
    says: "Reparo finds the pull request whatever the remote's address looks like: an alias of ssh or git, a fork without a remote, a branch pushed under another name.",
    source: "intake, Reparo's comments",
  },
  "spells.places": {
    says: "Reparo shows each comment at its side and lines, with the part of the diff that it is about and what it suggests; resolved threads are left out and counted, programs marked.",
    source: "intake, Reparo's comments",
  },
  "spells.fetch": {
    says: "Expecto and Reparo fetch for themselves; what comes from outside is data; credentials stay at home.",
    source: "spells, Expecto and Reparo",
  },
} satisfies Record<string, Requirement>;

const SURFACES = {
  "demo.trust": {
    says: "An agent that lies, approves itself, overspends or leaves its workspace is stopped, for everyone to see; without the layer that stops it, the demo says that it came through.",
    source: "docs/internals/demonstrations.md",
  },
  "cli.errors": {
    says: "An error is two lines and never a stack trace.",
    source: "design, Conventions",
  },
  "first-hour.played": {
    says: "README and quickstart, played literally in an empty home, end with a merged task, a blocked one, a finished one of Alfred and a begun one of Spells, within the promised counts.",
    source: "first hour, It must reach",
  },
  "first-hour.words": {
    says: "To begin, a person needs at most eight words of Pawl's for Bloom, eight for Alfred, six for Spells; the first pages use no others.",
    source: "first hour, concepts",
  },
  "package.old-node": {
    says: "Who builds a checkout with a Node that cannot run pawl is told so at once.",
    source: "first hour, Screens",
  },
  "cli.alone": {
    says: "Pawl called alone shows where things stand and what waits; outside a project, how to begin.",
    source: "first hour, 30 commands",
  },
  "cli.groups": {
    says: "30 commands in four groups are shown, on one screen; what stands below one works with and without it.",
    source: "first hour, 30 commands",
  },
  "cli.init-size": {
    says: "Pawl init asks a person at a terminal once how much review a task gets, recommends light, and writes it.",
    source: "first hour, A small change costs little",
  },
  "cli.init-twice": {
    says: "pawl init creates what is missing and changes nothing twice.",
    source: "design, Layout",
  },
  "cli.project-root": {
    says: "The project is found by flag, environment or the nearest parent; a worktree's is the outer one.",
    source: "design, Project root",
  },
  "cli.config": {
    says: "pawl.yaml wins over .alfred/config.yml, and every value's origin can be seen.",
    source: "design, Project root",
  },
  "errors.documented": {
    says: "Every error code has its heading in docs/errors.md.",
    source: "design, Conventions",
  },
} satisfies Record<string, Requirement>;

const GATES = {
  "gates.terminal": {
    says: "A verdict of the command line is asked for at the controlling terminal, and nothing that is piped in decides.",
    source: "docs/security.md, A verdict without a person",
  },
  "gates.not-an-agent": {
    says: "A person's word is refused where this process or an ancestor is an agent's.",
    source: "docs/security.md, A verdict without a person",
  },
  "gates.seen-first": {
    says: "Who decides sees evidence and changes first, then what is approved, then an agent's words, quoted and cleaned.",
    source: "docs/security.md, Verdict",
  },
  "gates.history": {
    says: "A state that does not follow from its own history is held until a person takes it as it is, which is recorded.",
    source: "docs/security.md, An edited state",
  },
  "gates.history-git": {
    says: "A state that a checkout brings is held with what to do about it, and each way that is named leads on.",
    source: "docs/decisions/what-git-moves.md",
  },
  "gates.history-torn": {
    says: "Nobody who only looks is told of an edit where a commit is on its way into the files.",
    source: "docs/security.md, An edited state",
  },
  "gates.history-missing": {
    says: "A run without a record is held; a state of Spells that git brought without one goes on as it is, is shown as unproved, and begins one.",
    source: "docs/security.md, An edited state",
  },
  "gates.history-edits": {
    says: "A held run keeps nobody from other tasks, and what a person writes into tasks.yaml counts as ever.",
    source: "docs/security.md, An edited state",
  },
  "gates.strength-shown": {
    says: "Each gate that a person decided is shown by `pawl status` and `pawl show`, with how strong the verdict is.",
    source: "docs/security.md, Verdict",
  },
  "gates.strength": {
    says: "Every verdict says by which way it came, and none is told as a person's for a fact.",
    source: "docs/security.md, Verdict",
  },
} satisfies Record<string, Requirement>;

export const REQUIREMENTS = {
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
} satisfies Record<string, Requirement>;

export type PromiseId = keyof typeof REQUIREMENTS;
