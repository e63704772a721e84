import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tasksText } from "../../../test/rig/tasks-texts.ts";
import { readTasks } from "../read.ts";
import type { Task } from "../task.ts";
import { mergeTasks } from "./merge.ts";

const titled = tasksText.map(({ text }) =>
  text
    .replaceAll("title", "heading")
    .replaceAll("pending", "todo")
    .replace(/^( *)-( +)id: T\d+.*$/gm, (line, pad, gap) => `${line}\n${pad} ${gap}title: t`)
    .replace(/\{ ?id: T\d/g, "$&, title: t"),
);

/** Some of its lines end with CRLF, some do not. */
const isMixed = (text: string) => text.includes("\r\n") && /[^\r]\n/.test(text);

describe("A merge of tasks.yaml", () => {
  it("is a file that can be read, or a conflict, whatever the layouts are", () => {
    let merges = 0;
    fc.assert(
      fc.property(titled, titled, titled, fc.boolean(), (base, mine, theirs, hasBase) => {
        const versions = { base: hasBase ? base : null, mine, theirs };
        for (const side of ["mine", "theirs"] as const)
          expect(mergeTasks(versions, () => side)).not.toHaveProperty("conflicts");
        const result = mergeTasks(versions);
        if (!result.ok) return;
        merges += 1;
        expect(readTasks(result.text, null).ok).toBe(true);
      }),
      { numRuns: 150 },
    );
    expect(merges).toBeGreaterThan(0);
  });

  it("changes nothing more when it is merged again, as after a push that nobody noted", () => {
    let merges = 0;
    fc.assert(
      fc.property(titled, titled, titled, fc.boolean(), (base, mine, theirs, hasBase) => {
        const from = hasBase ? base : null;
        const result = mergeTasks({ base: from, mine, theirs });
        if (!result.ok || [mine, theirs].some(isMixed)) return;
        merges += 1;
        expect(mergeTasks({ base: from, mine, theirs: result.text })).toEqual(result);
      }),
      { numRuns: 300 },
    );
    expect(merges).toBeGreaterThan(0);
  });

  it("has ten thousand tasks of which each side changed a hundred", () => {
    const task = (at: number, side: string): Pick<Task, "id" | "title"> => ({
      id: `T${at}`,
      title: `t ${side}`,
    });
    const file = (side: string, every: number) =>
      `tasks:\n${Array.from({ length: 10_000 }, (_, at) => task(at, at % 100 === every ? side : ""))
        .map(({ id, title }) => `  - id: ${id}\n    title: "${title}"\n    status: todo\n`)
        .join("")}`;
    const versions = { base: file("", 0), mine: file("mine", 1), theirs: file("theirs", 2) };
    const result = mergeTasks(versions);
    const text = result.ok ? result.text : "";
    expect(text.match(/"t mine"/g)).toHaveLength(100);
    expect(text.match(/"t theirs"/g)).toHaveLength(100);
  });
});
