import type { Requirement } from "./requirements.ts";

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
};
