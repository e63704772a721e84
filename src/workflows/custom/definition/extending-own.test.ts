/** A file that extends another workflow of the project. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { projectPath } from "../../../core/path.ts";
import type { Entry, View } from "../../../core/ports/store.ts";
import { check } from "../../../engine/check.ts";
import { boundOf } from "../agents/bound.ts";
import { fileSource } from "../load.ts";
import { parseOver } from "./extending-own.ts";

const RELEASE = readFileSync(
  new URL("../../../../examples/release-project/release.yaml", import.meta.url),
  "utf8",
);

/** An agent writes the notes and another compares them, before they can be handed in. */
const NOTED = `title: Release with notes
extends: release
agents:
  writer: { session: same, budget: { usd: 1 } }
  checker: { permission: read, budget: { usd: 0.30 } }
states:
  writing: { description: An agent writes the notes., awaits: agent, writes: worktree, forbids: push }
  checking: { description: Another model compares them., awaits: agent, writes: none, forbids: [commit, push] }
  looking: { description: A second person looks., awaits: human, writes: none, forbids: [commit, push] }
events:
  draft: { description: Have the notes written, gate: human }
  drafted: They are written
  faithful: Every line has its commit
  invented: A line has none
  seen: { description: A second person has seen it, gate: human }
facts:
  tries: { values: 0..2, initial: 0 }
rows:
  - { id: drafts, from: drafting, on: draft, to: writing, set: { tries: 0 }, run: { agent: writer, prompt: notes, answers: { next: [drafted] } }, reply: submitted }
  - { id: checks, from: writing, on: drafted, to: checking, run: { agent: checker, prompt: compare, answers: { verdict: [faithful, invented], points: text } }, reply: submitted }
  - { id: rewrites, from: checking, on: invented, when: { tries: 0..1 }, to: writing, set: { tries: { add: 1 } }, run: { agent: writer, prompt: notes, answers: { next: [drafted] } }, reply: submitted }
  - { id: hands-over, from: checking, on: invented, when: { tries: 2 }, to: drafting, reply: back }
  - { id: written, from: checking, on: faithful, to: drafting, reply: submitted }
  - { id: risky, from: drafting, on: submit, when: { notes: present, list: all-checked, tests: passed, risk: high }, to: looking, reply: submitted }
  - { id: looks, from: in_review, on: approve, to: looking, reply: submitted }
  - { id: looked, from: looking, on: seen, as: approve }
  - { id: rejected, set: { tries: 0 } }
`;

const over = (text: string, base = RELEASE) =>
  parseOver("noted", "flows/noted.yaml", text, {
    name: "release",
    file: projectPath("flows/release.yaml"),
    text: base,
  });

function faultsIn(text: string, base = RELEASE): string {
  try {
    over(text, base);
    return "none";
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

const withRow = (row: string) => `${NOTED}  - ${row}\n`;

describe("A file that extends another workflow", () => {
  it("is proved with it, and its orders have a bound", () => {
    promise("own.extends");
    const { definition } = over(NOTED);
    const { rules } = definition.table;
    const replies = [...new Set(rules.map(({ reply }) => reply))];
    expect(check({ workflow: definition.table, replies }).violations).toEqual([]);
    expect(boundOf(definition)).toEqual({ orders: 6, usd: 3.9 });
    expect(definition.table).toMatchObject({
      name: "noted",
      title: "Release with notes",
      initial: "drafting",
    });
    expect(definition.gates).toMatchObject({ draft: "human", approve: "approve" });
    expect(definition.sources).toMatchObject({ tests: { type: "command" }, risk: { type: "given" } });
  });

  it("takes its cases from the rows there, decides like them if it says so, and sets more if one applies", () => {
    promise("own.extends");
    const { rules } = over(NOTED).definition.table;
    const rule = (id: string) => rules.find((each) => each.id === id);
    expect(rule("submitted")).toMatchObject({
      to: "in_review",
      when: [expect.objectContaining({ risk: ["low"] })],
    });
    expect(rule("looked")).toMatchObject({
      from: ["looking"],
      on: "seen",
      to: "tagging",
      reply: "approved",
    });
    expect(rule("rejected")?.set).toEqual({ rounds: { add: 1 }, tries: 0 });
    // What nobody writes is there for its states, too.
    expect(
      rules.some(({ from, on, reply }) => from.includes("looking") && on === "submit" && reply === "not-now"),
    ).toBe(true);
  });

  it.each([
    [
      "a name that is taken",
      NOTED.replace("tries: { values: 0..2, initial: 0 }", "risk: { values: [a], initial: a }"),
      /noted\.yaml:\d+:\d+: fact risk: release has one of that name/,
    ],
    [
      "a row that changes more",
      withRow("{ id: approved, set: { tries: 0 }, to: failed }"),
      /rule approved: release has a rule of that id, and a row of this file adds only `set`/,
    ],
    [
      "a row without a reply",
      withRow("{ id: x, from: looking, on: submit, to: drafting }"),
      /rule x: expected `reply`/,
    ],
    [
      "a row without a case",
      withRow("{ id: x, to: drafting, reply: back }"),
      /expected `from` and `on`, or the id of one of release's rules/,
    ],
    [
      "as an event that it does not take",
      withRow("{ id: x, from: looking, on: retry, as: reject }"),
      /as: reject` decides as release did before a row of this file took that event/,
    ],
    [
      "a state that nobody has",
      withRow("{ id: x, from: nowhere, on: retry, to: drafting, reply: back }"),
      /noted\.yaml:\d+:\d+: .*"nowhere"/,
    ],
    [
      "a fact without a source",
      NOTED.replace("tries: { values: 0..2, initial: 0 }", "tries: { values: 0..2 }"),
      /fact tries: expected exactly one of/,
    ],
    ["a row twice", withRow("{ id: rejected, set: { tries: 1 } }"), /rule rejected: another row has that id/],
    [
      "two keys of run",
      withRow(
        '{ id: x, from: looking, on: retry, to: drafting, run: { agent: writer, command: "true" }, reply: back }',
      ),
      /takes no command/,
    ],
  ])("is refused with its place: %s", (_, text, says) => {
    promise("own.extends");
    expect(faultsIn(text)).toMatch(says);
  });

  it("says what no longer fits once the other file changed, and names that file if it is the fault", () => {
    promise("own.extends");
    expect(
      faultsIn(NOTED, RELEASE.replaceAll("approve:", "accept:").replaceAll("on: approve", "on: accept")),
    ).toMatch(/noted\.yaml:\d+:\d+: The rule "looks" is on "approve"; expected one of submit, accept/);
    expect(faultsIn(NOTED, RELEASE.replaceAll("drafting", "preparing"))).toMatch(
      /noted\.yaml:\d+:\d+: .*"drafting", which is not a state/,
    );
    expect(faultsIn(NOTED, RELEASE.replace("goals: [published]", "goals: [gone]"))).toMatch(/release/);
  });

  it("has the texts of both, its own first, and without those that nobody uses", async () => {
    promise("own.extends");
    const texts: Record<string, string> = {
      "flows/release.yaml": RELEASE,
      "flows/noted.yaml": NOTED,
      "flows/noted/notes.md": "Write the notes of {{ id }}.",
      "flows/noted/compare.md": "Compare them.",
      "flows/noted/back.md": "{{ said.checker.points }}",
      "flows/noted/submitted.md": "Ours.",
      "flows/replies/unused.md": "Nobody says it.",
    };
    for (const name of [
      "no-notes",
      "list-open",
      "tests-fail",
      "submitted",
      "approved",
      "rejected",
      "tagged",
      "not-tagged",
      "not-now",
    ])
      texts[`flows/replies/${name}.md`] = `Theirs: ${name}.`;
    const view = {
      read: async (path: string) => texts[path] ?? null,
      list: async (folder: string): Promise<readonly Entry[]> =>
        Object.keys(texts)
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => ({ name: path.slice(folder.length + 1), kind: "file" as const })),
    } as unknown as View;
    const files = ["release", "noted"].map((name) => ({ name, file: projectPath(`flows/${name}.yaml`) }));
    const [, noted] = files;
    const source = fileSource(noted as never, { bloom: () => Promise.reject(new Error("not asked")), files });
    const { definition } = await source.load(view);
    expect(definition.replies).toMatchObject({ submitted: "Ours.", approved: "Theirs: approved." });
    expect(Object.keys(definition.replies)).not.toContain("unused");
    expect(definition.prompts).toMatchObject({ compare: "Compare them." });
    texts["flows/replies/approved.md"] = "Theirs, later.";
    expect((await source.load(view)).definition.replies).toMatchObject({ approved: "Theirs, later." });
    texts["flows/replies/approved.md"] = "{{ nothing.like.it }}";
    await expect(source.load(view)).rejects.toThrow(/flows\/replies\/approved\.md/);
    texts["flows/replies/approved.md"] = "Well.";
    texts["flows/noted.yaml"] = NOTED.replace("extends: release", "extends: relase");
    await expect(source.load(view)).rejects.toThrow(
      /noted\.yaml:2:10: extends: expected bloom, or another .*: bloom, release; found relase/,
    );
    texts["flows/noted.yaml"] = NOTED.replace("extends: release", "extends: release\nreplies: ./notd");
    await expect(source.load(view)).rejects.toThrow(
      /noted\.yaml:3:10: the folder of the replies, flows\/notd, is missing/,
    );
    texts["flows/noted.yaml"] = NOTED;
    texts["flows/release.yaml"] = `extends: bloom\n${RELEASE}`;
    await expect(source.load(view)).rejects.toThrow(/release\.yaml extends another one itself/);
  });
});
