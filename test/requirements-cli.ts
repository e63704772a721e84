import type { Requirement } from "./requirements.ts";

const DOCTOR = "test/e2e/doctor.test.ts";

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
  "doctor.fix": {
    says: "For each fault `pawl doctor` names a command that works when it is typed, or the edit, and exits with 1.",
    source: "ecosystem, Packages for clients",
    tests: [
      `${DOCTOR}: is mended by the command that it names: %s`,
      `${DOCTOR}: leads to the command that shows it in full, once: %s`,
      `${DOCTOR}: says where a setting is wrong, and still looks at the machine`,
      `${DOCTOR}: says what an agent that the tasks need lacks`,
      `${DOCTOR}: says that a gate wants a signature, and that no key is known`,
    ],
  },
};
