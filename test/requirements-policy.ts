import type { Requirement } from "./requirements.ts";

const STATE = "test/e2e/state-runs-nothing.test.ts";
const CHECKS = "src/adapters/checks/checks.test.ts";
const TRUST = "test/e2e/trust.test.ts";
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
};
