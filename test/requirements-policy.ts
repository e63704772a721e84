import type { Requirement } from "./requirements.ts";

const STATE = "test/e2e/state-runs-nothing.test.ts";
const CHECKS = "src/adapters/checks/checks.test.ts";
const YAML = "src/base/yaml.test.ts";

/** What may be executed, and by whose word. */
export const POLICY: Readonly<Record<string, Requirement>> = {
  "yaml.bounded": {
    says: "A YAML file that is too large, too deep, or whose aliases multiply is refused with its place, by the error of its kind of file.",
    source: "docs/security.md, Files that others wrote",
    tests: [
      `${YAML}: a file with %s has one fault, with its place`,
      `${YAML}: with %s is refused by its own error`,
      `${YAML}: tasks.yaml with %s has a problem in a line`,
      `${YAML}: anchors and aliases as people write them are read`,
    ],
  },
  "state.runs-nothing": {
    says: "No command that stands in a state file is run: commands come by name from the configuration or the table.",
    source: "docs/security.md, Files that others wrote",
    tests: [
      `${STATE}: a command in Alfred's state is not run, whether or not a check has its name`,
      `${STATE}: a pending command in the state of an own workflow is not run`,
      `${STATE}: a row's command is not run before the run took that row, whatever its state says`,
      `${STATE}: a command of the version before, that a run of an own workflow kept, is run as the table has it`,
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
};
