import type { Requirement } from "./requirements.ts";

const STATE = "test/e2e/state-runs-nothing.test.ts";
const CHECKS = "src/adapters/checks/checks.test.ts";
const TRUST = "test/e2e/trust.test.ts";
const PINNED = "test/e2e/policy.slow.test.ts";
const OWN = "test/e2e/policy-own.test.ts";
const PLACES = "src/core/policy-places.test.ts";
const ALFRED = "src/workflows/alfred/govern.test.ts";
const RULES = "src/core/policy.test.ts";
const LISTS = "src/adapters/agents/static-lists.slow.test.ts";
const YAML = "src/core/yaml.test.ts";

const ESCAPES = "test/e2e/wall-escapes.slow.test.ts";
const WALL = "test/e2e/wall-work.slow.test.ts";
const BRING_IN = "src/adapters/wall/bring-in.test.ts";

/** What may be executed, and by whose word. */
export const POLICY: Readonly<Record<string, Requirement>> = {
  "yaml.bounded": {
    says: "A YAML file that is too large, too deep, or whose aliases multiply is refused with its place, by the error of its kind of file.",
    source: "docs/security.md, Files that others wrote",
    tests: [
      `${YAML}: a file with %s has one fault, with its place`,
      `${YAML}: \${file} with %s is refused by its own error`,
      `${YAML}: tasks.yaml with %s has a problem in a line`,
      `${YAML}: anchors and aliases as people write them are read`,
    ],
  },
  "yaml.linear": {
    says: "One megabyte of YAML takes less than two seconds, whatever it says; ten thousand tasks as people write them are read.",
    source: "docs/threats.md, A YAML bomb",
    tests: [
      "test/linear.slow.test.ts: is read within two seconds, or refused in Pawl's own words: %s",
      "src/core/yaml-many-tasks.slow.test.ts: ten thousand tasks of more than a megabyte are read, %s",
      `${YAML}: each repeated key of a map is a fault at its place, and no merge key is`,
      `${YAML}: of many faults a thousand are told`,
    ],
  },
  "files.unreadable": {
    says: "What cannot be read (leases, files that a plan names, how a check stands, what was trusted) is an error with its cause, and never taken for what is not there.",
    source: "docs/threats.md, A pin that cannot be read",
    tests: [
      "src/adapters/files/unreadable.test.ts: leases in a folder that is closed are an error, not none",
      "src/adapters/files/unreadable.test.ts: a file in a folder that is closed is not said to be missing; one that can be nowhere is",
      "src/adapters/checks/checks.test.ts: a run whose outcome or beginning cannot be read is not begun a second time",
      "test/e2e/trust.test.ts: is not said to be untrusted where what was agreed to cannot be read: the error names the place",
    ],
  },
  "state.runs-nothing": {
    says: "No command that stands in a state file is run: commands come by name from the configuration or the table.",
    source: "docs/security.md, Files that others wrote",
    tests: [
      `${STATE}: a command in Alfred's state is not run, whether or not a check has its name`,
      `${STATE}: a pending command in the state of an own workflow is not run`,
      `${STATE}: a row's command is not run before the run took that row, whatever its state says`,
      `${STATE}: a command that stands in the state of an own workflow is not run: the one of its table is`,
      `${STATE}: a fact's command in the state of an own workflow is not run`,
    ],
  },
  "state.keys": {
    says: "A key in a state file finds only a run of the very same command, in a folder of Pawl's own.",
    source: "docs/security.md, Files that others wrote",
    tests: [
      `${STATE}: a key in Alfred's state cannot lead to another folder`,
      `${STATE}: a check that passed earlier under a key does not answer for another command`,
      `${CHECKS}: a link in the place of a run is not followed`,
      `${CHECKS}: a link in the place of all runs is refused`,
    ],
  },
  "trust.asked": {
    says: "Nothing that a project's files name is started on a machine before a person agreed to it there; reading works.",
    source: "docs/trust.md",
    tests: [
      `${TRUST}: is read by everything that only reads`,
      `${TRUST}: has no agent started by a look at the agents, nor by a test of one`,
      `${TRUST}: has no task worked on: the error says what to do`,
      `${TRUST}: has no command of a workflow of its own run, over the command line and over MCP`,
    ],
  },
  "trust.exact": {
    says: "Trust is of exactly what was shown, kept outside the project; what is added or changed is asked for again.",
    source: "docs/trust.md",
    tests: [
      `${TRUST}: is trusted by \`pawl trust --yes\`, outside of the project, for exactly what was shown`,
      `${TRUST}: brings no trust along: a record inside it, and one of another folder at its path, do not count`,
    ],
  },
  "trust.person": {
    says: "A person says what may be started: at a terminal, in a script of theirs, or by beginning the project; no agent does.",
    source: "docs/trust.md",
    tests: [
      `${TRUST}: asks at a terminal, not on standard input, and takes nothing for a yes`,
      `${TRUST}: takes no agent's word for a person's (%s)`,
      `${TRUST}: is trusted by \`pawl init\`, its tasks file as it is written later`,
      `${TRUST}: is not trusted by \`pawl init\` where it names something already`,
    ],
  },
  "permission.listed": {
    says: "Under edits an agent runs listed commands only, with options and paths that neither write nor read elsewhere, whatever its client can match.",
    source: "docs/security.md, Permissions",
    tests: [
      "src/adapters/agents/acp-policy.test.ts: refuses %s",
      `${LISTS}: runs %j`,
      `${LISTS}: does not run %j`,
      `${LISTS}: allows what is listed, also one after the other`,
      `${LISTS}: refuses what begins so and is more, with what to do instead`,
      `${LISTS}: is given them in a file, and its older list never`,
    ],
  },
  "policy.rules": {
    says: "An edit that tightens a policy counts at once; one that loosens it, or cannot be told to tighten it, does not.",
    source: "docs/trust.md, What governs a run",
    tests: [
      `${RULES}: is tightened by %s: %j → %j, which counts at once`,
      `${RULES}: is loosened by %s: %j → %j, which does not count`,
      `${PINNED}: tightens a task that is at work by an edit, at once`,
    ],
  },
  "policy.pinned": {
    says: "What governs a run is what it began with: an agent with a shell does not loosen it for itself, for another task or for the next loop.",
    source: "docs/trust.md, What governs a run",
    tests: [
      `${PINNED}: does not take its own verify away`,
      `${PINNED}: does not take another task's verify away`,
      `${PINNED}: gets no more permission for the next task`,
      `${PINNED}: does not loosen the next loop either, until a person accepts it at a terminal`,
      `${PINNED}: does not take the person out of the gate, by the configuration`,
      `${PINNED}: does not, by the hash in the state either, nor by leaving it out`,
    ],
  },
  "policy.once": {
    says: "Of several processes that begin a run at once, the run is governed by the policy of the one that began it.",
    source: "docs/threats.md",
    tests: [
      "test/e2e/policy-begin.test.ts: a process that had read the task before another began it goes by the other's policy, and does not put its own in its place",
      "src/runtime/run-transaction.test.ts: keeps a policy right before the commit, and does all again where another was kept meanwhile",
    ],
  },
  "policy.own": {
    says: "A run of an own workflow goes by its definition as it was when the run began: what loosens it holds the run until a person accepts it.",
    source: "docs/trust.md, What governs a run",
    tests: [
      `${OWN}: does not move where %s`,
      `${OWN}: does not move over MCP either, and a look tells why`,
      `${OWN}: goes on once a person has accepted the change at a terminal, which is recorded`,
      `${OWN}: goes on where nothing is loosened: words, replies, and one more gate`,
      `${OWN}: holds nothing that is over`,
      `${OWN}: does not hold a new run, which begins by the definition as it is`,
      `${OWN}: goes on where the definition is the one that its file names, else a person decides`,
    ],
  },
  "policy.placed": {
    says: "What loosens a policy is told with the file and line where it stands.",
    source: "docs/trust.md, What governs a run",
    tests: [
      `${PLACES}: is that of %s`,
      `${PLACES}: is found in a list by the id %s, also of a nested entry`,
      `${PLACES}: is not there where no file has anything of it, and a file that cannot be read is no error`,
      `${PINNED}: does not take its own verify away`,
      `${OWN}: goes on once a person has accepted the change at a terminal, which is recorded`,
    ],
  },
  "policy.shown": {
    says: "A run's history shows what was loosened and does not count, as its gate does; of a run that is over nothing is told.",
    source: "docs/trust.md, What governs a run",
    tests: [
      "test/e2e/bloom-persons-word.slow.test.ts: is approved by somebody who sees what of the tasks file was loosened meanwhile, and does not count",
      `${OWN}: goes on once a person has accepted the change at a terminal, which is recorded`,
      `${OWN}: holds nothing that is over`,
      `${ALFRED}: is what the configuration says, until the task is over`,
      `${ALFRED}: is so, too, where nothing is known of the task, or its state cannot be read`,
    ],
  },
  "policy.claim": {
    says: "A status done that appears in tasks.yaml while an agent is at work is a claim, which the loop verifies.",
    source: "docs/trust.md, What governs a run",
    tests: [`${PINNED}: does not make itself or another done by a status`],
  },
  "policy.accepted": {
    says: "What loosens a policy is shown, at the gate too, and counts once a person accepts it.",
    source: "docs/trust.md, What governs a run",
    tests: [
      `${PINNED}: shows the person at the gate what does not count, and the person may accept it`,
      "test/e2e/bloom-persons-word.slow.test.ts: is approved by somebody who sees what of the tasks file was loosened meanwhile, and does not count",
      `${PINNED}: mends a task's verify and lets it go on by \`ready\``,
      `${PINNED}: is held where the policy is not known on this machine, unless the files say the same or a person accepts them`,
    ],
  },
  "wall.holds": {
    says: "Behind the wall an agent can write nothing but its worktree, its outbox and files of its own, see no other task, secret or process, and leave no process.",
    source: "docs/security.md, The wall",
    tests: [
      `${ESCAPES}: behind the wall an agent fails \${tries}`,
      `${ESCAPES}: everything outside of its worktree and branch is as it was`,
      `${ESCAPES}: no process of the run is left`,
      `${WALL}: a task without a repository works in the project's folder, and Pawl's own files stay closed there`,
      `${WALL}: without a network there is nothing but a loopback of its own`,
    ],
  },
  "wall.lets-work": {
    says: "Behind the wall an agent commits on its own branch, resumes its session and marks its steps.",
    source: "docs/security.md, The wall",
    tests: [
      `${WALL}: does two steps in one session: commits, amends, looks, notes and marks by its own hand`,
      `${WALL}: an agent that is ended by a signal is told as such`,
      `${WALL}: an agent that is tried out works behind the wall, too, and leaves nothing in the project`,
      `${ESCAPES}: what it did on its own branch is merged, and the task is done`,
    ],
  },
  "wall.one-branch": {
    says: "Of what an agent did to git behind the wall, its own branch comes out, from where it was, to a commit that is whole, of objects that are what their names say.",
    source: "docs/security.md, The wall",
    tests: [
      `${BRING_IN}: brings in the commits of the run's own branch, and once is enough`,
      `${BRING_IN}: leaves everything as it was where the run did nothing`,
      `${BRING_IN}: moves no other branch, whatever the private copies say`,
      `${BRING_IN}: overwrites no branch that somebody else moved meanwhile, and keeps the run's commits`,
      `${BRING_IN}: takes no object whose content is not what its name says, nor replaces one that is there`,
      `${BRING_IN}: moves no branch to a commit of which something is missing`,
      `${BRING_IN}: follows no link of an agent's: not to another repository's objects, not to a file for a branch`,
      `${BRING_IN}: reads a pack anew, whatever lies beside it`,
      `${BRING_IN}: leaves a worktree at its commit where its agent made a branch that does not count`,
      `${WALL}: what an agent staged and did not commit is seen, and it is asked to commit it`,
    ],
  },
  "wall.crash": {
    says: "What an agent committed before its loop was killed is brought in by the next.",
    source: "docs/decisions/wall.md",
    tests: [
      `${WALL}: a loop that is killed in the midst of a run: the next brings in what was committed, and resumes`,
      `${BRING_IN}: brings in what a killed loop had half done`,
      `${BRING_IN}: brings in an earlier run's work before the next begins`,
    ],
  },
  "wall.commands": {
    says: "Commands that Pawl runs are behind the wall, too; a failure says so.",
    source: "docs/security.md, The wall",
    tests: [
      `${WALL}: verify and setup run behind it, too, and their failure says so and how to name what they need`,
    ],
  },
  "wall.missing": {
    says: "Where there can be no wall, auto says so in one plain sentence, and bwrap starts nothing.",
    source: "docs/security.md, The wall",
    tests: [
      `${WALL}: auto goes on without a wall, and one plain sentence says so`,
      `${WALL}: bwrap starts nothing without a wall`,
      `${WALL}: an agent that is tried out without a wall says so, and is not started where one is required`,
      `${WALL}: none is no wall, and nothing is said of it`,
    ],
  },
};
