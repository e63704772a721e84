import type { Requirement } from "./requirements.ts";

/** What keeps a person's own assistant to the workflow. */
export const GUARD = {
  "guard.scope": {
    says: "A client's hook refuses a write that the run's state does not allow, with the run, its state and the next lawful step.",
    source: "docs/guard.md, What it refuses",
  },
  "guard.lawful": {
    says: "In a task's whole life nothing lawful is refused to any client, and what a state forbids is.",
    source: "docs/guard.md, What it refuses",
  },
  "guard.out-of-scope-edits": {
    says: "What a command changed past the guard is told once in the log, and keeps the assistant from stopping.",
    source: "docs/guard.md",
  },
  "guard.clients": {
    says: "Each of eight clients is answered in the form that it takes, to allow and to refuse, for what its tools are called today.",
    source: "docs/guard.md, What each client enforces",
  },
  "guard.sessions": {
    says: "A session has the scope of the run whose tool it called; without one, the widest of all open runs.",
    source: "docs/guard.md, Whose scope counts",
  },
  "guard.stop": {
    says: "An assistant that stops with its step unfinished is sent back, twice in a state at most, in its own session, and never a subagent.",
    source: "docs/guard.md, Stopping too early",
  },
  "guard.kept": {
    says: "Between calls the guard keeps the open runs' scopes outside of the project, and reads again what has moved, and no more.",
    source: "docs/guard.md, What is kept",
  },
  "guard.shell": {
    says: "Where nothing may be written, a command of the shell that is not known to read only runs behind a wall, or not at all.",
    source: "docs/guard.md, The shell",
  },
  "guard.wall": {
    says: "Behind the wall around an assistant's command nothing that is closed is written, however it is spelled, and work goes on.",
    source: "docs/guard.md, The shell",
  },
  "guard.sandbox": {
    says: "Claude Code's own sandbox closes the project where nothing may be written, and the person's settings come back afterwards.",
    source: "docs/guard.md, The shell",
  },
  "guard.protected": {
    says: "No assistant's tool writes what Pawl keeps, what governs its runs, or what starts the guard, by whatever path or argument.",
    source: "docs/guard.md, What it refuses",
  },
  "guard.person": {
    says: "A person's verb is refused to an assistant's shell before it runs where its command is plain, and by the verb itself else.",
    source: "docs/guard.md, What it refuses",
  },
  "guard.closed": {
    says: "What the guard cannot read is refused; a folder without Pawl is left alone, and nothing is written there.",
    source: "docs/guard.md, Whose scope counts",
  },
  "guard.setup": {
    says: "What `pawl init --guard` does: it puts the guard beside what is there, once; `--no-guard` takes out just that, for a person.",
    source: "docs/guard.md, Setting it up",
  },
  "guard.git": {
    says: "An agent's commit and push are refused where no run allows them; a person's pass, and their own hooks run.",
    source: "docs/guard.md, Setting it up",
  },
  "guard.elicitation": {
    says: "The set-up warns of a client's hooks that could answer a gate in a person's place.",
    source: "docs/guard.md, Setting it up",
  },
  "guard.canary": {
    says: "The canary (`pawl guard --canary`) tries each layer as it stands, and fails if a planted violation came through.",
    source: "docs/guard.md, The canary",
  },
} satisfies Record<string, Requirement>;
