import { parseWorkflow } from "../../../src/workflows/custom/definition/parse.ts";
import type { Target } from "../target.ts";

export const workflowYaml: Target = {
  name: "workflow-yaml",
  seeds: [
    "name: release\ndescription: A release\nstates:\n  drafting: {description: being written}\n  done: {description: out, final: true}\nevents:\n  submit: {description: handed in}\nfacts:\n  risk: {values: [low, high], source: given, description: how risky}\nstart: {state: drafting}\nrows:\n  - {id: R1, from: [drafting], on: submit, when: [{risk: [low]}], to: done, outcome: applied, reply: out}\nreplies:\n  out: It is out.\n",
  ],
  run: (bytes) => parseWorkflow("release", "release.yaml", Buffer.from(bytes).toString("utf8")),
};
