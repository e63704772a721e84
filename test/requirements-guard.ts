import type { Requirement } from "./requirements.ts";

const SETUP = "test/e2e/guard-setup.slow.test.ts";
const CLAUDE = "test/e2e/guard-claude-code.test.ts";
const KEPT = "test/e2e/guard-kept.test.ts";
const CLIENTS = "test/e2e/guard-clients.test.ts";
const DECIDE = "src/guard/decide.test.ts";
const SHELL = "src/guard/shell-writes.test.ts";

/** What keeps a person's own assistant to the workflow. */
export const GUARD: Readonly<Record<string, Requirement>> = {
  "guard.scope": {
    says: "A client's hook refuses a write that the run's state does not allow, with the run, its state and the next lawful step.",
    source: "docs/guard.md, What it refuses",
    tests: [
      `${CLAUDE}: is refused with the run, its state and the next lawful step`,
      `${CLAUDE}: is allowed as soon as the state allows it, and refused again in the next`,
      `${CLAUDE}: lets reading, running and Pawl's own tools through`,
      `${CLAUDE}: is allowed in the temporary folder, and in the client's own folder for plans`,
      `${CLAUDE}: may not commit or push before the state allows it`,
      `${DECIDE}: is the same whatever the run: %s`,
      `${DECIDE}: ends at the checkout in which the session works`,
      `${DECIDE}: says what was refused, why, and what comes next`,
    ],
  },
  "guard.lawful": {
    says: "In a task's whole life nothing lawful is refused to any client, and what a state forbids is.",
    source: "docs/guard.md, What it refuses",
    tests: ["test/e2e/guard-life.slow.test.ts: %s is refused nothing lawful, and whatever a state forbids"],
  },
  "guard.strays": {
    says: "What a command changed past the guard is told once in the log, and keeps the assistant from stopping.",
    source: "docs/guard.md",
    tests: [
      "test/e2e/guard-strays.test.ts: is told in the log after a command, and keeps the assistant from stopping, at most twice",
    ],
  },
  "guard.clients": {
    says: "Each of eight clients is answered in the form that it takes, to allow and to refuse, for what its tools are called today.",
    source: "docs/guard.md, What each client enforces",
    tests: [
      `${CLIENTS}: is refused what its session's run does not allow, in its own form`,
      `${CLIENTS}: is allowed to read, to run, and to call Pawl's tools, in its own form`,
      `${CLIENTS}: is refused what nobody can read, with exit code 2`,
      `${CLIENTS}: answers VS Code, which calls it from the same file, in VS Code's form, too`,
      `${CLIENTS}: takes the event's name where the call does not tell`,
      `${CLIENTS}: throws the guard's refusal, and lets the rest through`,
      `${CLIENTS}: lets only reading go on where Pawl cannot be asked`,
    ],
  },
  "guard.sessions": {
    says: "A session has the scope of the run whose tool it called; without one, the widest of all open runs.",
    source: "docs/guard.md, Whose scope counts",
    tests: [
      `${CLIENTS}: has the scope of the run whose tool it called, and without one the widest of all open runs`,
      `${CLIENTS}: has the scope of the run whose tool it called by \`pawl call\`, where its command tells the arguments`,
      `${CLIENTS}: of an agent of Pawl's own loop has no scope, and the protected places still hold`,
      `${CLIENTS}: goes on where what is kept of it is damaged`,
      `${DECIDE}: allows what any of them allows`,
    ],
  },
  "guard.stop": {
    says: "An assistant that stops with its step unfinished is sent back, twice in a state at most, in its own session, and never a subagent.",
    source: "docs/guard.md, Stopping too early",
    tests: [
      `${CLIENTS}: is sent back twice in a state, and only if it works on the run`,
      `${CLIENTS}: is not sent back for a subagent, nor by a session's name of another client`,
    ],
  },
  "guard.kept": {
    says: "Between calls the guard keeps the open runs' scopes outside of the project, and reads again what has moved, and no more.",
    source: "docs/guard.md, What is kept",
    tests: [
      `${KEPT}: what has not changed is not read again`,
      `${KEPT}: a run that moves, begins or ends is read again, and no other`,
      `${KEPT}: the session's own run is read again where its file was edited`,
      `${KEPT}: everything is read again where the settings or the log are others`,
      `${KEPT}: what is kept and damaged is made anew`,
      `${KEPT}: a state in which the assistant may write counts for the next call`,
    ],
  },
  "guard.shell": {
    says: "A shell's command is read for what it writes, commits, pushes and approves, through quotes, nesting and here-documents, in linear time.",
    source: "docs/guard.md, What it refuses",
    tests: [
      `${SHELL}: writes what it writes: %s`,
      `${SHELL}: commits or pushes: %s`,
      `${SHELL}: speaks for a person: %s`,
      `${SHELL}: is cut where it writes more than anybody looks at`,
      `${SHELL}: is cut where it holds more scripts than anybody reads, or deeper ones`,
      "test/linear.slow.test.ts: is read within two seconds, or refused in Pawl's own words: %s",
    ],
  },
  "guard.protected": {
    says: "No assistant's tool writes what Pawl keeps, what governs its runs, or what starts the guard, by whatever path.",
    source: "docs/guard.md, What it refuses",
    tests: [
      `${CLAUDE}: is refused in every state, however its path is written`,
      `${CLAUDE}: is refused from a folder outside of the project, too`,
      `${CLAUDE}: is refused to the shell as well`,
      `${CLAUDE}: is judged where no run is open by the protected places alone`,
      `${DECIDE}: is never what starts the guard: %s`,
      `${DECIDE}: is no folder around the package that starts the guard: %s`,
      `${DECIDE}: is what a search by name may take away: %s`,
      "src/surfaces/hooks/tool-action.test.ts: is writing whatever an argument says that the tool does not have",
      "src/surfaces/hooks/tool-action.test.ts: is a shell's command, and a write of the task's file, where VS Code makes a task of it",
    ],
  },
  "guard.person": {
    says: "A person's verb is refused to an assistant's shell, however the program is started.",
    source: "docs/guard.md, What it refuses",
    tests: [`${CLAUDE}: is refused to an assistant by any way to the program`],
  },
  "guard.closed": {
    says: "What the guard cannot read is refused; a folder without Pawl is left alone, and nothing is written there.",
    source: "docs/guard.md, Whose scope counts",
    tests: [
      `${CLAUDE}: is refused, with exit code 2: %j`,
      `${CLAUDE}: lets nothing be written, and reading and Pawl's own tools go on`,
      `${CLAUDE}: is none of the guard's business: everything is allowed, and nothing is written`,
      `${CLAUDE}: answers as a process of its own, on its standard input`,
    ],
  },
  "guard.setup": {
    says: "What `pawl init --guard` does: it puts the guard beside what is there, once; `--no-guard` takes out just that, for a person.",
    source: "docs/guard.md, Setting it up",
    tests: [
      `${SETUP}: writes the client's hook, its rules, git's hooks and the setting, and twice is once`,
      `${SETUP}: is taken out by a person without a trace, and by no agent`,
      `${SETUP}: writes nothing where a client's file cannot be read`,
      "src/surfaces/cli/guard/edit-setup.test.ts: keeps what is there, and is as before without the guard: %j",
      "src/surfaces/cli/guard/edit-setup.test.ts: stay where they are, and so do other rules",
    ],
  },
  "guard.git": {
    says: "An agent's commit and push are refused where no run allows them; a person's pass, and their own hooks run.",
    source: "docs/guard.md, Setting it up",
    tests: [
      `${SETUP}: refuse an agent's commit and push where no run allows them, and let a person's pass`,
      `${SETUP}: refuse an agent in another worktree of the project, too`,
      `${SETUP}: call what was there with its arguments and its input, and leave it as it was`,
      `${SETUP}: are where git looks: a folder of the project, husky's own, or the one that worktrees share`,
      `${SETUP}: are left alone outside of the repository, and behind a link`,
      `${SETUP}: let a person without Pawl pass with one sentence, but no agent, and share no path of a machine`,
      `${SETUP}: are left alone where the place of a hook that has to go aside is taken, by a link or a file`,
      `${SETUP}: keep what a person wrote into them since, and the one that was moved aside stays`,
    ],
  },
  "guard.elicitation": {
    says: "The set-up warns of a client's hooks that could answer a gate in a person's place.",
    source: "docs/guard.md, Setting it up",
    tests: [`${SETUP}: pawl init warns of hooks that could answer in a person's place`],
  },
  "guard.canary": {
    says: "The canary (`pawl guard --canary`) tries each layer as it stands, and fails if a planted violation came through.",
    source: "docs/guard.md, The canary",
    tests: [
      `${SETUP}: plants a violation for each layer as it stands, and says which one came through`,
      `${SETUP}: starts nothing from a client's file but what Pawl itself would write there`,
      `${SETUP}: the canary fails where \`guard: true\` is set, and neither a client's file nor git's hooks call the guard`,
      `${SETUP}: starts nothing from git's hooks but the lines that Pawl writes`,
      `${SETUP}: starts nothing that stands beside Pawl's own handler: %s`,
      "src/surfaces/cli/guard/edit-setup.test.ts: keep the guard from being whole beside it, and the guard takes the place of those that end like it",
      "src/surfaces/cli/guard/planted.test.ts: an answer refuses only in a form that clients take, and for the planted file: %s %s %s",
      `${SETUP}: stands in the status, the history and the gate's question: proved when, or since which change not`,
    ],
  },
};
