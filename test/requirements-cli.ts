import type { Requirement } from "./requirements.ts";

const HELP = "test/e2e/cli-help.test.ts";
const SHELLS = "test/e2e/completion-shells.slow.test.ts";
const OWN = "test/e2e/workflow-commands.test.ts";
const GALLERY = "test/gallery.test.ts";
const LIBRARY = "test/library.test.ts";
const UNINSTALL = "test/e2e/uninstall.slow.test.ts";
const COMPILED = "src/config/compiled-code.test.ts";
const DOCTOR = "test/e2e/doctor.slow.test.ts";

/** What a person at a terminal is promised. */
export const COMMAND_LINE: Readonly<Record<string, Requirement>> = {
  "doctor.sound": {
    says: "The doctor asks every part how it is, changes nothing, and exits with 0 where there are only hints.",
    source: "ecosystem, Packages for clients",
    tests: [
      `${DOCTOR}: finds no fault in a new project, and changes nothing`,
      `${DOCTOR}: works outside a project, and says how to begin one`,
      `${DOCTOR}: says what a dead worker left, what a board left, and what nobody agreed to start`,
    ],
  },
  "doctor.packages": {
    says: "The doctor names each package of a client, one of another version, and one that registers the server beside the project's own file.",
    source: "ecosystem, Packages for clients",
    tests: [
      `${DOCTOR}: says where a client's plugin is of another version, or registers the server a second time`,
    ],
  },
  "cli.compiled-code": {
    says: "Compiled code of the program lies in a folder that the user alone may write to, or nowhere; never among temporary files.",
    source: "docs/performance.md, Starts",
    tests: [
      `${COMPILED}: lies in a folder that is made for the user alone, and never among temporary files`,
      `${COMPILED}: is neither used nor written where %s`,
    ],
  },
  "run.action": {
    says: "An action for GitHub works through the tasks of a checkout whose files the job trusts, never of a pull request.",
    source: "ecosystem, Seen from outside",
    tests: [
      "test/run-action.slow.test.ts: works through the tasks of a checkout, and leaves the events",
      "test/run-action.slow.test.ts: does not fail where something waits for a person, and says so",
      "test/run-action.slow.test.ts: refuses %s, and starts nothing",
    ],
  },
  "cli.interrupted": {
    says: "Ctrl-C ends each command that lasts with 130, and leaves the project as it was.",
    source: "ecosystem, Terminal manners",
    tests: [
      "test/e2e/interrupted.slow.test.ts: ends `pawl %s` with 130, and nothing is changed",
      "test/e2e/mcp-process.test.ts: ends on %s with %i",
      "test/e2e/mcp-http.test.ts: ends on %s with %i, whoever is connected",
    ],
  },
  "cli.help": {
    says: "Every command's help begins in the imperative and ends with examples, each a line of that command. A command that there is not has none.",
    source: "ecosystem, Terminal manners",
    tests: [
      `${HELP}: shows examples, each of which is a line of that command`,
      "test/e2e/cli.test.ts: show no help of a command that there is not, but what is near",
    ],
  },
  "cli.narrow": {
    says: "No word is cut at 60 columns, in any command's help or on a main screen.",
    source: "ecosystem, Terminal manners",
    tests: [
      `${HELP}: begins with what the command does, in the imperative, and cuts no word at 60 columns`,
      `${HELP}: cuts no word: pawl %s`,
    ],
  },
  "cli.completion": {
    says: "The shells bash, zsh and fish complete commands, choices, runs and tasks.",
    source: "ecosystem, Terminal manners",
    tests: ["bash", "zsh", "fish"].map(
      (shell) => `${SHELLS}: ${shell} completes commands, choices, runs and tasks`,
    ),
  },
  "workflow.gallery": {
    says: "The gallery has ten workflows; each is proved, walked to its end along every path, and documented with its diagram.",
    source: "ecosystem, Own workflows",
    tests: [
      `${GALLERY}: the gallery has its ten templates, and no file besides`,
      `${GALLERY}: is proved, and each of its replies renders`,
      `${GALLERY}: is walked to its end along every path, and takes every rule on the way`,
      `${GALLERY}: says in every state that waits who acts, and what comes next`,
      `${GALLERY}: the gallery's page is what its templates say`,
    ],
  },
  "workflow.new": {
    says: "A person begins a workflow from the gallery or by questions; all its files are written at once, over none of theirs.",
    source: "ecosystem, Own workflows",
    tests: [
      `${OWN}: writes a workflow that is proved, begins a run, and can be walked`,
      `${OWN}: writes over nothing, and keeps what else stands in pawl.yaml`,
      `${OWN}: adds its line to %j`,
      `${OWN}: asks a person at a terminal what to begin with, and then what the steps are`,
      "src/surfaces/cli/workflow/new.test.ts: make a workflow of the steps that a person names, with their decision where they want it",
      "src/surfaces/cli/workflow/new.test.ts: refuse %j, and say what was expected",
      `${OWN}: says what to give where nobody can be asked, and is a person's`,
      `${GALLERY}: a workflow of the steps %j with a person at %j is proved`,
    ],
  },
  "workflow.try": {
    says: "A workflow is walked by events or by a person's choices, with its replies, and nothing is written.",
    source: "ecosystem, Own workflows",
    tests: [
      `${OWN}: walks by events to the end, with each reply, and writes nothing`,
      `${OWN}: takes what a fact is, and says what cannot be`,
      `${OWN}: asks a person at each state what happens`,
    ],
  },
  "workflow.placed": {
    says: "What `pawl check` refuses in a project's own workflow has its file and line.",
    source: "ecosystem, Own workflows",
    tests: [
      `${OWN}: says file and line of what it refuses: %j`,
      `${OWN}: names the file of a reply that no rule uses`,
    ],
  },
  "library.gates": {
    says: "A program's workflow has gates and hints where a file has them, and no unknown key is dropped in silence.",
    source: "ecosystem, Own workflows",
    tests: [
      `${LIBRARY}: count as if they stood in \`gates\` and \`hints\`, and the table's hash is the same`,
      `${LIBRARY}: are refused where a key or a word is unknown: %j`,
    ],
  },
  "uninstall.as-before": {
    says: "What `pawl init` put into a project is taken out again, and every file is as it was, byte for byte.",
    source: "ecosystem, Packages for clients",
    tests: [
      `${UNINSTALL}: leaves a new project as it was, and then says that nothing is left`,
      `${UNINSTALL}: gives a file back as it was: %j`,
      `${UNINSTALL}: takes out only this client where it is named`,
      `${UNINSTALL}: takes out the guard, and git's hooks, beside a person's own`,
    ],
  },
  "uninstall.theirs": {
    says: "Uninstalling takes nothing that a person wrote, and keeps records, tasks and work unless everything is to go.",
    source: "ecosystem, Packages for clients",
    tests: [
      `${UNINSTALL}: never takes what a person wrote: settings, an edited entry, tasks, records and work`,
      `${UNINSTALL}: removes records, tasks and settings too, with --all`,
      `${UNINSTALL}: keeps a worktree in which something is not committed, and removes it once it is`,
      `${UNINSTALL}: begins nothing while somebody works`,
      `${UNINSTALL}: follows no link out of the project`,
      `${UNINSTALL}: leaves a client's file that nobody can read, and says so`,
    ],
  },
  "uninstall.asked": {
    says: "A person is shown what will be removed and asked; an agent cannot uninstall.",
    source: "ecosystem, Packages for clients",
    tests: [
      `${UNINSTALL}: asks first, and changes nothing for a no, for nobody, and for a dry run`,
      `${UNINSTALL}: is a person's: an agent cannot call it`,
    ],
  },
  "uninstall.killed": {
    says: "An uninstall that is killed at any point is finished by the next one.",
    source: "ecosystem, Packages for clients; design C4",
    tests: [
      "test/e2e/uninstall-killed.slow.test.ts: pawl uninstall, killed at any call that changes the disk, is finished by the next one",
    ],
  },
  "doctor.fix": {
    says: "For each fault `pawl doctor` names a command that works when it is typed, or the edit, and exits with 1.",
    source: "ecosystem, Packages for clients",
    tests: [
      `${DOCTOR}: is mended by the command that it names: %s`,
      `${DOCTOR}: is mended by the two commands that it names, where a client would start a program that is gone`,
      `${DOCTOR}: leads to the command that shows it in full, once: %s`,
      `${DOCTOR}: says where a setting is wrong, and still looks at the machine`,
      `${DOCTOR}: says what an agent that the tasks need lacks`,
      `${DOCTOR}: says that a gate wants a signature, and that no key is known`,
    ],
  },
};
