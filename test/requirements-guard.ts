import type { Requirement } from "./requirements.ts";

const CLAUDE = "test/e2e/guard-claude-code.test.ts";

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
};
