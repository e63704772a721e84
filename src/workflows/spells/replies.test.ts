import fc from "fast-check";
import { describe, expect, test } from "vitest";
import source from "../../../test/fixtures/spells-source-rows.json" with { type: "json" };
import { promise } from "../../../test/rig/promise.ts";
import { packaged } from "../../../test/rig/spells-project.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { ReviewFetch } from "../../core/ports/reviews.ts";
import { check } from "../../engine/check.ts";
import { decide } from "../../engine/decide.ts";
import type { Facts, Rule } from "../../engine/workflow.ts";
import type { Proposal, Reply } from "../../runtime/module.ts";
import { actionsOf } from "./actions.ts";
import { SPELLS as ALL, type Spell, titleOf } from "./events.ts";
import { FILE_KEYS } from "./files.ts";
import { renderTemplate } from "./reply.ts";
import { parseReplyFile, REPLY_FILES, replyFileOf } from "./reply-file.ts";
import { consistent, sampleCast, sampleOutside, samplePath, sampleView } from "./samples.ts";
import { SPELLS_WORKFLOW as SPELLS } from "./table.ts";

const TIPPED = ["GC1", "GC2a", "GC2b", "G2", "G4", "A2", "P1", "R1", "R2", "R3", "R9", "H3"];
const GUIDED = ["G2", "A2", "P1", "R1", "R2", "R3"];

/** As the source has it. */
const HEADER = [
  "> **AI Engineer Workflow** helps you work together with AI on any coding task. This system was built to teach effective collaboration with AI through a guided workflow. You can create plans, break them down into smaller tasks, get information from Jira and Confluence, and improve your code by handling PR comments.",
  ">",
  "> For best results, commit your changes often and start new conversations to clear the AI's context when needed. Don't worry about losing progress - this system remembers where you left off!",
  "",
  "### Where We Are",
].join("\n");

const viewOf = (state: string, origin: string | null, facts: Facts) =>
  sampleView(state, origin, facts, packaged);

const REVIEWS: readonly ReviewFetch[] = [
  { kind: "not-configured", detail: "No token is set.", help: "Set one." },
  { kind: "no-pull-request", branch: "topic", repositories: ["acme/app"] },
  { kind: "failed", failure: { reason: "rate-limited", detail: "429", retryAfter: 30 } },
  {
    kind: "fetched",
    pull: {
      repository: "acme/app",
      number: 7,
      title: "T",
      url: "https://github.com/acme/app/pull/7",
      branch: "t",
    },
    remarks: [
      { part: "reviews", author: "ann", url: "https://x", text: "Fix it", time: "2026-01-01T00:00:00Z" },
    ],
    threads: "known",
    missing: null,
    failure: null,
  },
  {
    kind: "fetched",
    pull: {
      repository: "acme/app",
      number: 7,
      title: "T",
      url: "https://github.com/acme/app/pull/7",
      branch: "t",
    },
    remarks: [],
    threads: "unknown",
    missing: { repository: "acme/app", number: 7, pages: { comments: 2 } },
    failure: { reason: "timed-out", detail: "30 s" },
  },
];

const pick = (name: string) => fc.constantFrom(...(SPELLS.facts[name]?.values ?? []));

const WORLD = fc.record({
  state: fc.constantFrom(...Object.keys(SPELLS.states)),
  spell: fc.constantFrom(...ALL),
  origin: pick("reparo_origin") as fc.Arbitrary<string | null>,
  facts: fc.record(Object.fromEntries(Object.keys(SPELLS.facts).map((name) => [name, pick(name)]))),
  review: fc.constantFrom(...REVIEWS),
  fetched: fc.boolean(),
});

interface Rendered {
  readonly row: Rule;
  readonly text: string;
  readonly state: string;
  /** The spells that do something when they are cast next. */
  readonly available: readonly Spell[];
  readonly exists: (path: string) => boolean;
}

async function render(world: {
  state: string;
  spell: Spell;
  origin: string | null;
  facts: Facts;
  review: ReviewFetch;
  fetched: boolean;
}): Promise<Rendered> {
  const view = viewOf(world.state, world.origin, world.facts);
  const outside = sampleOutside(world.review, world.fetched);
  const { proposal: prepared, step } = await sampleCast(view, world.spell, outside);
  const { texts } = step.run;
  const files = new Set(FILE_KEYS.filter((key) => texts[key] !== null).map(samplePath));
  for (const change of prepared.changes ?? []) {
    if (change.type === "move") files.delete(change.from);
    files.add(change.type === "move" ? change.to : change.path);
  }
  const { state } = prepared.reply.data as { state: string };
  const { text } = prepared.reply;
  const available = await availableAfter(world, prepared);
  return { row: step.decision.rule, text, state, available, exists: (name) => files.has(name) };
}

/** Casts each spell on the files as they will be. */
async function availableAfter(
  world: { state: string; origin: string | null; facts: Facts },
  { changes = [] }: Proposal<Reply>,
): Promise<readonly Spell[]> {
  const before = viewOf(world.state, world.origin, world.facts);
  const files = new Map<string, string | null>();
  for (const change of changes) {
    if (change.type === "move") files.set(change.from, null);
    if (change.type === "write") files.set(change.path, change.text);
  }
  const read = async (name: ProjectPath) => (files.has(name) ? (files.get(name) ?? null) : before.read(name));
  const after = { ...before, read };
  const moving: Spell[] = [];
  const outside = sampleOutside(REVIEWS[0] as ReviewFetch, false);
  for (const spell of ALL)
    if ((await sampleCast(after, spell, outside)).step.decision.rule.outcome === "moved") moving.push(spell);
  return moving;
}

const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  usual: [
    "## Response to the AI",
    "## Response to the Developer",
    "### What Just Happened",
    "### Where We Are",
    "### Available Spells",
    "### Next Steps",
  ],
  shown: ["### Where We Are", "### Available Spells", "### Unavailable Spells", "### Next Steps"],
};

function headingsOf(rule: Rule): readonly string[] {
  if (rule.outcome === "shown") return HEADINGS.shown ?? [];
  const usual = HEADINGS.usual ?? [];
  const asks = /^(PR[1-4]|H7|H8|H9|H10)$/.test(rule.id);
  return asks ? usual.map((heading) => heading.replace("Available Spells", "Available Choices")) : usual;
}

function section(text: string, heading: string): string {
  const [, after = ""] = `\n${text}`.split(`\n### ${heading}\n`);
  return (after.split(/^##+ /m)[0] ?? "").trim();
}

/** The spells that the table lets do something in the state, in one world at least. */
const MAY_HELP = new Map(
  Object.keys(SPELLS.states).map((state) => [
    state,
    new Set(
      SPELLS.rules
        .filter((rule) => rule.from.includes(state) && rule.outcome !== "blocked")
        .map((rule) => rule.on),
    ),
  ]),
);

/** What makes the offer of a spell one for later. */
const CONDITION = /\b(?:once|when|then|again|if)\b/i;
const TO_BE_READ =
  /(?:Look (?:at|through)|Look at the code and at|Go on with the plan in|Change|Correct|Finish the context in|Describe the work in|changes your plan,) `(\.ai\/task\/[\w-]+\.md)`/g;

function expectTrue({ row: rule, text, state: stateAfter, available, exists }: Rendered): void {
  // Contents that the reply only quotes claim nothing.
  const words = text.replace(/^(`{3,})markdown\n[\s\S]*?^\1$/gm, "");
  expect(words.match(/^##+ .*$/gm)).toEqual(headingsOf(rule));
  expect(words).not.toMatch(/undefined|\{\{|\{%|\[object|null/);
  for (const state of Object.keys(SPELLS.states)) expect(words).not.toContain(state);

  const listed = section(words, "Available Spells") || section(words, "Available Choices");
  expect(boldSpells(listed)).toEqual(available);
  if (rule.outcome === "shown") {
    const others = ALL.filter((spell) => spell !== "lumos" && !available.includes(spell));
    expect(boldSpells(section(words, "Unavailable Spells"))).toEqual(others);
    const keys = [...section(words, "Where We Are").matchAll(/^- `([^`]+)`/gm)].map(([, name]) => name);
    expect(keys).toEqual(FILE_KEYS.map(samplePath).filter(exists));
  }
  if (rule.outcome !== "shown")
    for (const spell of boldSpells(section(words, "Next Steps"))) {
      const isLater = words.includes(`**${titleOf(spell)}** is not available until then: `);
      expect(isLater, `${rule.id} names ${spell}`).toBe(!available.includes(spell) && spell !== "lumos");
    }
  for (const spell of boldSpells(section(words, "Next Steps")))
    expect([...(MAY_HELP.get(stateAfter) ?? [])], `${rule.id} offers ${spell}`).toContain(spell);
  for (const sentence of section(words, "Next Steps").split(/(?<=[.!?])\s+/)) {
    for (const spell of boldSpells(sentence).filter((one) => !available.includes(one) && one !== "lumos"))
      expect(sentence, `${rule.id} offers ${spell}, which does nothing yet`).toMatch(CONDITION);
    for (const [, name = ""] of sentence.matchAll(TO_BE_READ))
      expect(exists(name), `${rule.id} sends to ${name}`).toBe(true);
  }

  for (const [, name = ""] of words.matchAll(/created at `([^`]+)`/g)) expect(exists(name), name).toBe(true);
  for (const [, name = ""] of words.matchAll(
    /(?:`|, )(\.ai\/task\/[a-z-]+\.md)`?,? (?:is|was) (?:not there|missing)/g,
  ))
    expect(exists(name), `${rule.id}: ${name} is missing`).toBe(false);
  for (const [, name = ""] of words.matchAll(/`(\.ai\/task\/[a-z-]+\.md)` (?:is back|was found again)/g))
    expect(exists(name), `${rule.id}: ${name} is back`).toBe(true);
  for (const [name] of words.matchAll(/\.ai\/task\/[\w-]+\.md\b/g))
    expect(FILE_KEYS.map(samplePath).includes(name), `${rule.id} names ${name}`).toBe(true);
  const archived = /archived in `([^`]+)`/.exec(words)?.[1];
  if (archived !== undefined) expect(archived).toMatch(/^\.ai\/task\/(tasks\/task-|pr-reviews\/pr-review-)/);

  const spell = titleOf(rule.on as Spell);
  if (rule.outcome === "blocked")
    expect(words).toMatch(`You attempted to cast **${spell}** which cannot be used right now because `);
  if (rule.outcome === "no-effect")
    expect(words).toMatch(`You cast **${spell}** which had no effect because `);
  expect(/\*\*💡 Tip\*\*/.test(words)).toBe(TIPPED.includes(rule.id));
  if (TIPPED.includes(rule.id)) expect(words.trim().split("\n").at(-1)).toMatch(/^> \*\*💡 Tip\*\*/);
  if (GUIDED.includes(rule.id)) expect(words).toContain("`.ai/task-guide.md`");
}

/** The blocks of every reply, by its name, before they are rendered. */
async function replyTemplates(): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const files = await Promise.all(REPLY_FILES.map((name) => packaged(`spells/${name}`)));
  return new Map(files.flatMap((text) => [...parseReplyFile(text ?? "").replies]));
}

function boldSpells(text: string): readonly Spell[] {
  const bold = [...text.matchAll(/\*\*(\w+)\*\*/g)].map(([, name]) => name?.toLowerCase());
  return ALL.filter((spell) => bold.includes(spell));
}

describe("a reply", () => {
  test("claims in every world only what the table and the files hold", async () => {
    promise("spells.replies");
    await fc.assert(
      fc.asyncProperty(WORLD, async (world) => {
        expectTrue(await render(world));
      }),
      { numRuns: 200 },
    );
  }, 60_000);

  test("of each row is rendered at least once, from each of its states", async () => {
    const defaults = Object.fromEntries(
      Object.entries(SPELLS.facts).map(([name, fact]) => [name, fact.values[0]]),
    );
    for (const rule of SPELLS.rules) {
      for (const state of rule.from) {
        const [box = {}] = rule.when ?? [];
        const chosen = Object.fromEntries(Object.entries(box).map(([name, values]) => [name, values[0]]));
        const facts = consistent({ ...defaults, ...chosen } as Facts);
        const origin = (chosen.reparo_origin ?? null) as string | null;
        const fetches = actionsOf(rule.id).some((action) => action.type === "fetch-comments");
        for (const review of fetches ? REVIEWS : REVIEWS.slice(0, 1)) {
          const world = { state, spell: rule.on as Spell, origin, facts, review, fetched: true };
          const rendered = await render(world);
          expect(rendered.row.id).toBe(rule.id);
          expectTrue(rendered);
        }
      }
    }
  }, 60_000);

  test("quotes the source's explanations, minus spells that the table blocks", async () => {
    promise("spells.replies");
    const rows = source as unknown as readonly {
      id: string;
      explain?: string;
      next: Record<string, string>;
    }[];
    const spared: Readonly<Record<string, string>> = {
      ER4: "Reverto is only available in PR review states. Resolve the current error first with Accio.",
      C3d: "Review task file is missing. Use Accio to create a new review task based on the PR comments.",
    };
    const templates = await replyTemplates();
    const explained = rows.filter(
      ({ id, explain }) => explain && SPELLS.rules.some((rule) => rule.id === id),
    );
    expect(explained).toHaveLength(26);
    for (const { id, explain = "" } of explained) {
      const template = Object.values(templates.get(id) ?? {}).join("\n");
      const finite = { available: { finite: true } };
      const words = template.replace(/\{% if available\.finite %\}([^{]*)\{% endif %\}/g, (whole) =>
        renderTemplate(whole, finite, id),
      );
      expect(words, id).toContain(spared[id] ?? explain);
    }
  });

  test("to Lumos begins with the source's header in every state, and no other reply has it", async () => {
    promise("spells.replies");
    for (const state of Object.keys(SPELLS.states))
      for (const spell of ALL) {
        const facts = consistent({} as Facts);
        const [review] = REVIEWS as readonly [ReviewFetch];
        const { text } = await render({ state, spell, origin: null, facts, review, fetched: false });
        expect(text.startsWith(HEADER), `${spell} in ${state}`).toBe(spell === "lumos");
        expect(text.includes("AI Engineer Workflow"), `${spell} in ${state}`).toBe(spell === "lumos");
      }
  });

  test("names in ER6 only Accio if Finite is blocked", async () => {
    const world = (state: string) => ({
      state,
      spell: "expecto" as const,
      origin: null,
      facts: {},
      review: REVIEWS[0] as ReviewFetch,
      fetched: false,
    });
    expect((await render(world("ERROR_TASK_MISSING"))).text).toContain("first with Accio.");
    expect((await render(world("ERROR_COMMENTS_MISSING_A"))).text).toContain("first with Accio or Finite.");
  });

  test("to Lumos in the three error states of a task's review is the twin's", async () => {
    const templates = await replyTemplates();
    for (const [own = "", twin = ""] of [
      ["H12", "L19"],
      ["H13", "L20"],
      ["H14", "L21"],
    ]) {
      expect(templates.get(own)).toEqual({ next_steps: expect.any(String) });
      expect(templates.get(own)).toEqual(templates.get(twin));
    }
  });

  test("stands in the file of its row's kind, and its layout has a place for each of its blocks", async () => {
    const found = new Map<string, string>();
    for (const name of REPLY_FILES) {
      const { layout, replies } = parseReplyFile((await packaged(`spells/${name}`)) ?? "");
      for (const [id, blocks] of replies) {
        expect(found.get(id), `${id} is in ${name} too`).toBeUndefined();
        found.set(id, name);
        expect(Object.keys(blocks), id).toContain("next_steps");
        for (const [block, template] of Object.entries(blocks)) {
          expect(layout, `${name}: ${block} of ${id}`).toContain(`{{ ${block} }}`);
          expect(template, `${name}: ${block} of ${id}`).not.toBe("");
        }
      }
    }
    for (const rule of SPELLS.rules)
      for (const state of rule.from) {
        const to = typeof rule.to === "string" ? rule.to : (rule.to[state] ?? "");
        const after = { state: to === "same" ? state : to, variables: {} };
        expect(found.get(rule.reply), rule.id).toBe(replyFileOf({ rule, after }));
      }
  });

  test("has each of its blocks from one section only", async () => {
    for (const name of REPLY_FILES) {
      const sections = ((await packaged(`spells/${name}`)) ?? "").split(/^# /m).slice(1);
      const blocks = sections.flatMap((section) => {
        const ids = (section.split("\n", 1)[0] ?? "").split(", ");
        return [...section.matchAll(/^## (.+)$/gm)].flatMap(([, block]) =>
          ids.map((id) => `${id}: ${block}`),
        );
      });
      expect(blocks.length).toBeGreaterThan(0);
      expect(blocks).toEqual([...new Set(blocks)]);
    }
  });

  test("is matched with its row, and its row with it", () => {
    expect(check({ workflow: SPELLS, replies: SPELLS.rules.map((rule) => rule.reply) }).violations).toEqual(
      [],
    );
  });
});

test("the template engine refuses an unknown variable, and reads no value as a template", () => {
  expect(() => renderTemplate("{{ nothing }}", {}, "X")).toThrow(/X cannot be rendered/);
  expect(renderTemplate("{{ value }}", { value: "{{ other }}{% if %}" }, "X")).toBe("{{ other }}{% if %}");
  expect(() => renderTemplate("{{ value.constructor }}", { value: {} }, "X")).toThrow(/cannot be rendered/);
});

test("the decision of a cast is the engine's on the inputs", async () => {
  const facts = { context: "missing" } as unknown as Facts;
  const outside = sampleOutside(REVIEWS[0] as ReviewFetch, false);
  const { step } = await sampleCast(viewOf("GATHER_NEEDS_CONTEXT", null, facts), "accio", outside);
  const position = { state: "GATHER_NEEDS_CONTEXT", variables: { reparo_origin: null } };
  expect(step.decision).toEqual(decide(SPELLS, position, "accio", {}));
});
