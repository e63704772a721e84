import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { PawlError } from "../core/error.ts";
import { parseTasks } from "./parse.ts";
import { itemsOf, readProposed, readReply } from "./proposal.ts";
import type { Task } from "./task.ts";

const task = (id: string, more: object = {}) => ({
  id,
  title: `Do ${id}`,
  instructions: `How ${id}`,
  ...more,
});
const reply = (...tasks: readonly object[]) => JSON.stringify({ tasks });

function present(text: string): readonly Task[] {
  const parsed = parseTasks(text);
  if (!parsed.ok) throw new Error("not valid");
  return parsed.file.tasks;
}

function fault(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof PawlError && thrown.code === "proposal-invalid") return thrown.message;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

describe("An agent's reply", () => {
  it("is the JSON alone, or one fenced block of it among words", () => {
    promise("bloom.plan");
    const plain = reply(task("a"));
    for (const text of [
      plain,
      `Here it is:\n\n\`\`\`json\n${plain}\n\`\`\`\nDone.`,
      `\n\`\`\`\n${plain}\n\`\`\``,
    ])
      expect(readReply(text)).toMatchObject([{ id: "a", title: "Do a", depends_on: [], steps: [] }]);
  });

  it.each([
    ["no block", "I could not decide.", "expected one block of JSON, found none"],
    ["two blocks", `\`\`\`json\n${reply(task("a"))}\n\`\`\`\n\`\`\`\n{}\n\`\`\``, "found 2"],
    ["a block without an end", `\`\`\`json\n${reply(task("a"))}`, "found none"],
    ["JSON that is torn", '{"tasks": [', "expected JSON"],
    ["no task", reply(), "tasks: expected"],
    [
      "a key of another kind",
      reply(task("a", { verify: ["rm -rf /"] })),
      "tasks.0.verify: expected no such key",
    ],
    [
      "a criterion with a command",
      reply(task("a", { acceptance_criteria: [{ text: "It works", check: "rm -rf /" }] })),
      "tasks.0.acceptance_criteria.0: expected",
    ],
    ["an id that is none", reply(task("../a")), "tasks.0.id: expected an id"],
    ["a title of two lines", reply(task("a", { title: "x\ny" })), "tasks.0.title: expected one line"],
    ["an empty text", reply(task("a", { instructions: " " })), "tasks.0.instructions: expected a non-empty"],
    ["too many tasks", reply(...Array.from({ length: 51 }, (_, at) => task(`t${at}`))), "tasks: expected"],
    ["too much", reply(task("a", { instructions: "x".repeat(200_001) })), "at most 200000 characters"],
  ])("is refused by name if it has %s", (_, text, words) => {
    promise("bloom.plan");
    expect(fault(() => readReply(text))).toContain(words);
  });

  it("loses what would show other words than it says", () => {
    const [found] = readReply(
      reply(task("a", { title: "Fix\u001b[2K it\u202e", instructions: "one\u0007\r\ntwo\u200b" })),
    );
    expect(found).toMatchObject({ title: "Fix it<U+202E>", instructions: "one\ntwo<U+200B>" });
  });
});

describe("Proposed tasks", () => {
  const items = (tasks: string, after: readonly string[], ...proposed: readonly object[]) =>
    itemsOf({ after: [...after], repo: null, tasks: [...readReply(reply(...proposed))] }, present(tasks));
  const THERE = "tasks:\n- {id: a, title: t, steps: [{id: b.1, instruction: i}]}\n- {id: z, title: t}\n";

  it("get ids that nobody has, and what depends on them follows", () => {
    promise("bloom.plan");
    const found = items(THERE, [], task("a"), task("b", { depends_on: ["a", "z"], steps: ["one", "two"] }));
    expect(found).toMatchObject([
      { id: "a-2" },
      {
        id: "b",
        depends_on: ["a-2", "z"],
        steps: [
          { id: "b.1-2", instruction: "one" },
          { id: "b.2", instruction: "two" },
        ],
      },
    ]);
  });

  it("begin after what a person names, each that waits for none of its own", () => {
    const found = items(
      THERE,
      ["z"],
      task("b"),
      task("c", { depends_on: ["b"] }),
      task("d", { depends_on: ["a"] }),
    );
    expect(found.map(({ depends_on }) => depends_on)).toEqual([["z"], ["b"], ["a", "z"]]);
    expect(() => items(THERE, ["nope"], task("b"))).toThrow(/nope/);
  });

  it("are refused with an id twice, a dependency on nothing, or a circle", () => {
    promise("bloom.plan");
    expect(fault(() => items("tasks: []\n", [], task("a"), task("a")))).toContain("a is proposed twice");
    expect(fault(() => items("tasks: []\n", [], task("a", { depends_on: ["q"] })))).toContain("depends on q");
    expect(
      fault(() =>
        items("tasks: []\n", [], task("a", { depends_on: ["b"] }), task("b", { depends_on: ["a"] })),
      ),
    ).toContain("in a circle");
    expect(fault(() => items("tasks: []\n", [], task("a", { depends_on: ["a"] })))).toContain("in a circle");
  });

  it("are read from their file as strictly as from the reply", () => {
    const kept = { description: "d", agent: "claude", after: [], repo: null, tasks: [task("a")] };
    expect(readProposed("p.json", JSON.stringify(kept))).toMatchObject({ tasks: [{ id: "a" }] });
    expect(fault(() => readProposed("p.json", JSON.stringify({ ...kept, verify: [] })))).toContain("p.json");
  });
});
