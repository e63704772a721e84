import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readPrompt } from "../../../../test/rig/literal-client.ts";
import { promise } from "../../../../test/rig/promise.ts";
import type { View } from "../../../core/ports/store.ts";
import { decide } from "../../../engine/decide.ts";
import { REVIEW_SOURCE, REVIEW_STAGE } from "../../../engine/review.ts";
import type { PromptSample } from "../../../runtime/module.ts";
import type { ActiveTool } from "../state/state-file.ts";
import { VERIFIED } from "../tools/definition.ts";
import { DEFINITIONS } from "../tools/definitions.ts";
import { machineOf } from "../tools/machine.ts";
import { promptSamples } from "./samples.ts";
import { wordsFor } from "./titles.ts";

const PACKAGED: View = {
  read: async () => null,
  list: async () => [],
  lastLine: async () => null,
  isCurrent: async () => true,
  packaged: (path) => readFile(join(import.meta.dirname, "../..", path), "utf8").catch(() => null),
};

let samples: readonly PromptSample[] = [];
beforeAll(async () => {
  samples = await promptSamples(PACKAGED);
});

/** The prose of a prompt: what it quotes or fences is others'. */
const proseOf = (text: string) => text.replace(/^(`{3,}).*\n[\s\S]*?^\1$/gm, "").replace(/^>.*$/gm, "");

function machineNamed(name: string) {
  const definition = DEFINITIONS.find((each) => each.name === name);
  if (!definition) throw new Error(`No tool ${name}.`);
  return machineOf(definition);
}

test("every state of every tool has a prompt, and each sample a name of its own", () => {
  promise("alfred.prompts.one-action");
  for (const definition of DEFINITIONS) {
    const shown = samples.flatMap(({ machine, configuration }) =>
      machine === definition.name && configuration ? [configuration.state] : [],
    );
    const states = Object.keys(machineOf(definition).workflow.states).filter((state) => state !== VERIFIED);
    expect(
      states.filter((state) => !shown.includes(state)),
      definition.name,
    ).toEqual([]);
  }
  const names = samples.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(120);
});

test("every prompt is rendered whole, with its words apart and its headings once", () => {
  promise("alfred.prompts.one-action");
  for (const { name, configuration, text } of samples) {
    const prose = proseOf(text);
    expect(prose, name).not.toMatch(/\{\{|\{%|\bundefined\b|\[object|\bnull\b/);
    expect(prose, name).not.toMatch(/MUST(?! )|[a-z](?:MUST|Call)\b|\S {2,}\S|[a-z][.!?][A-Z]|`[a-z]+`[a-z]/);
    expect(text, name).not.toMatch(/\n{3,}/);
    if (configuration === null || !text.startsWith("#")) continue;
    for (const heading of [
      "# ROLE: ",
      "# TOOL: ",
      "# TASK: ",
      "# STATE: ",
      "### **Directive: ",
      "### **Required Action**",
    ])
      expect(
        text.split("\n").filter((line) => line.startsWith(heading)),
        `${name}: ${heading}`,
      ).toHaveLength(1);
    expect(text, name).toContain(`# STATE: ${configuration.state}\n`);
  }
});

test("articles and numbers fit their words", () => {
  for (const { name, text } of samples) {
    const prose = proseOf(text);
    expect(prose, name).not.toMatch(/\b[Aa] [`'"]?[AEIOUaeiou]/);
    expect(prose, name).not.toMatch(/\b[Aa]n [`'"]?[^AEIOUaeiou`'"\s]/);
    expect(prose, name).not.toMatch(/\b(?:All )?1 (?!of\b)[a-z]+s\b/);
  }
});

test("every prompt requires exactly one call, and the table lets it be made there", () => {
  promise("alfred.prompts.one-action");
  for (const { name, machine: tool, configuration, text } of samples) {
    const required = readPrompt(text);
    if (configuration === null) {
      expect(required === null || DEFINITIONS.some((each) => each.name === required.tool), name).toBe(true);
      continue;
    }
    if (!required) throw new Error(`${name} requires no call.`);
    expect(required.task, name).toBe("TS-01");
    const machine = machineNamed(tool);
    const under = machine.underReview(configuration);
    const takes = (event: string) =>
      decide(machine.workflow, configuration, event, {}).rule.outcome !== "blocked";
    const lawful: Readonly<Record<string, boolean>> = {
      submit_work: under === null && takes(machine.submitEvent(configuration.state)),
      provide_review:
        under !== null && takes(machine.approveEvent(configuration)) && takes(machine.rejectEvent),
      mark_subtask_complete: tool === "implement_task" && under === null,
      work_on_task: under?.reviewer === "human",
      [tool]: under === null && takes("resume"),
    };
    expect(lawful[required.tool], `${name} requires ${required.tool}`).toBe(true);
    expect(required.tool === "work_on_task", name).toBe(name.includes("confirm"));
  }
});

test("people are told where a run stands in words, and never by a state's name", () => {
  promise("alfred.prompts.one-action");
  for (const { machine, name, configuration } of samples) {
    if (configuration === null) continue;
    const active = {
      tool_name: machine,
      current_state: configuration.state,
      review_source: configuration.variables[REVIEW_SOURCE] ?? null,
      review_stage: configuration.variables[REVIEW_STAGE] ?? null,
      context_store: { review_policy: ["ai", "human"], submitted: null },
    } as unknown as ActiveTool;
    const words = wordsFor(active);
    expect(words, name).toMatch(/^the [a-z ]+ is (?:to be handed in|under (?:AI|human) review)$/);
    expect(words, name).not.toMatch(/artifact|_|dispatched/);
  }
});

test("a human is shown what each verdict on a review or a test leads to", () => {
  const of = (name: RegExp) => samples.filter((sample) => name.test(sample.name)).map(({ text }) => text);
  for (const text of of(
    /ReviewArtifact, human review.*, not approved|TestResultArtifact, human review.*, failed/,
  )) {
    expect(text).toContain("sends the task back for revisions");
    expect(text).not.toContain("sound");
  }
  for (const text of of(/ContextAnalysisArtifact, AI review, a human after it$/))
    expect(text).not.toMatch(/feedback_notes[^.]*answer/i);
});
