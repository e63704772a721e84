/** The gallery of workflows: each is proved, walked to its end along every path, and shown on its page. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { renderGallery } from "../../scripts/gallery-docs.ts";
import { check } from "../../src/engine/check.ts";
import { targetOf } from "../../src/engine/configuration.ts";
import type { Configuration } from "../../src/engine/workflow.ts";
import { boundOf } from "../../src/workflows/custom/agents/bound.ts";
import { checkPrompts, promptNames } from "../../src/workflows/custom/agents/prompt.ts";
import {
  agentCommands,
  beginCommands,
  type Definition,
} from "../../src/workflows/custom/definition/definition.ts";
import { parseWorkflow } from "../../src/workflows/custom/definition/parse.ts";
import { filesFor, filesOfSteps, parseTemplate } from "../../src/workflows/custom/gallery.ts";
import { checkReplies } from "../../src/workflows/custom/reply.ts";
import { TEMPLATES } from "../../src/workflows/custom/template-names.ts";
import { beginOf, type Choice, choicesAt, replyOf } from "../../src/workflows/custom/walk.ts";
import { promise } from "../rig/promise.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "src/workflows/custom/templates");

const templateOf = (name: string) => parseTemplate(readFileSync(join(FOLDER, `${name}.md`), "utf8"));

function definitionOf(name: string, files: Readonly<Record<string, string>>): Definition {
  const { definition } = parseWorkflow(name, `${name}.yaml`, files[`${name}.yaml`] ?? "");
  const texts = Object.entries(files).flatMap(([path, text]) =>
    path.startsWith(`${name}/`) ? [[path.slice(name.length + 1, -3), text] as const] : [],
  );
  const prompts = promptNames(definition);
  const isPrompt = ([text]: readonly [string, string]) => prompts.has(text);
  return {
    ...definition,
    prompts: Object.fromEntries(texts.filter(isPrompt)),
    replies: Object.fromEntries(texts.filter((each) => !isPrompt(each))),
  };
}

const keyOf = ({ state, variables }: Configuration) => JSON.stringify([state, variables]);

/** Every path that comes to no configuration twice, as the choices on it. */
function pathsOf(definition: Definition): readonly (readonly Choice[])[] {
  const found: (readonly Choice[])[] = [];
  // Loops that count themselves have many paths through few configurations.
  const moves = new Map<string, readonly Choice[]>();
  const movesAt = (at: Configuration): readonly Choice[] => {
    const known =
      moves.get(keyOf(at)) ?? choicesAt(definition, at).filter(({ rule }) => rule.outcome === "moved");
    moves.set(keyOf(at), known);
    return known;
  };
  const go = (at: Configuration, path: readonly Choice[], seen: ReadonlySet<string>) => {
    const fresh = movesAt(at).filter(({ decision }) => !seen.has(keyOf(decision.after)));
    if (fresh.length === 0) found.push(path);
    for (const choice of fresh)
      go(choice.decision.after, [...path, choice], new Set([...seen, keyOf(choice.decision.after)]));
  };
  go(beginOf(definition), [], new Set([keyOf(beginOf(definition))]));
  return found;
}

it("the gallery has its sixteen templates, and no file besides", () => {
  promise("workflow.gallery");
  expect(TEMPLATES).toHaveLength(16);
  expect(readdirSync(FOLDER).sort()).toEqual(TEMPLATES.map((name) => `${name}.md`).sort());
});

it("the gallery's page is what its templates say", async () => {
  promise("workflow.gallery");
  expect(readFileSync(join(ROOT, "docs/workflows-gallery.md"), "utf8")).toBe(await renderGallery());
});

describe.each(TEMPLATES)("the template %s", (template) => {
  const files = filesFor(templateOf(template), template, "own");
  const definition = definitionOf("own", files);

  it("is proved, and each of its replies and prompts renders", () => {
    promise("workflow.gallery");
    expect(checkReplies(definition, (reply) => reply)).toEqual([]);
    expect(checkPrompts(definition, (prompt) => prompt)).toEqual([]);
    expect(boundOf(definition) ?? {}).not.toHaveProperty("loop");
    expect(
      check({ workflow: definition.table, replies: Object.keys(definition.replies) }).violations,
    ).toEqual([]);
  });

  it("is walked to its end along every path, and takes every rule on the way", () => {
    promise("workflow.gallery");
    const paths = pathsOf(definition);
    const { goals } = definition.table;
    const ended = paths.filter((path) => goals.includes(path.at(-1)?.decision.after.state ?? ""));
    expect(ended.length).toBeGreaterThan(0);
    // A path that does not end comes back to where it was: from there the others lead on.
    for (const path of paths.filter((each) => !ended.includes(each)))
      expect(choicesAt(definition, path.at(-1)?.decision.after ?? beginOf(definition))).not.toEqual([]);
    const met = paths.flatMap((path) => path.map(({ decision }) => decision.after));
    const taken = new Set<string>();
    for (const at of new Map([beginOf(definition), ...met].map((each) => [keyOf(each), each])).values())
      for (const choice of choicesAt(definition, at)) {
        taken.add(choice.rule.id);
        expect(replyOf(definition, choice, "1").trim()).not.toBe("");
      }
    expect(definition.table.rules.map(({ id }) => id).filter((id) => !taken.has(id))).toEqual([]);
  });

  it("awaits an agent wherever a rule gives one an order or begins runs, and nowhere else", () => {
    promise("workflow.gallery-agents");
    const { hints = {}, table } = definition;
    const given = [...agentCommands(definition), ...beginCommands(definition)].flatMap(({ rule }) =>
      rule.from.map((from) => targetOf(rule, from)),
    );
    const awaiting = Object.keys(table.states).filter((state) => hints[state]?.awaits === "agent");
    expect(awaiting.sort()).toEqual([...new Set(given)].sort());
  });

  it("says in every state that waits who acts, and what comes next", () => {
    promise("workflow.gallery");
    const going = Object.entries(definition.table.states).filter(([, { final }]) => !final);
    for (const [state] of going) {
      const { awaits, next } = definition.hints?.[state] ?? {};
      expect(next !== undefined || awaits === "nobody" || awaits === "agent", state).toBe(true);
    }
  });
});

it.each([
  [["one"], []],
  [["Write it", "Check it!", "2nd look"], [1]],
  [
    ["a", "b", "c"],
    [0, 1, 2],
  ],
])("a workflow of the steps %j with a person at %j is proved", (steps, gates) => {
  promise("workflow.new");
  const definition = definitionOf("own", filesOfSteps({ name: "own", title: 'A "title": it', steps, gates }));
  expect(checkReplies(definition, (reply) => reply)).toEqual([]);
  expect(check({ workflow: definition.table, replies: Object.keys(definition.replies) }).violations).toEqual(
    [],
  );
});
