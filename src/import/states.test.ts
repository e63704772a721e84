import { expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { readMarkdown } from "./markdown.ts";
import { readAs } from "./readers.ts";
import { openStatuses, parseStatuses, settleStates, stateOf } from "./states.ts";

const rows = (text: string) => readAs("csv", [{ path: "x.csv", text }]);

it.each([
  "Erledigt",
  "Fertig",
  "Terminé",
  "Готово",
  "완료됨",
  "Ready to ship",
  "🚀",
  "Ready ✅",
  "Done?",
  "❌ Done",
  "~~todo~~",
])("an unknown word is never open: %s", (word) => {
  promise("import.states");
  expect(stateOf(word)).toEqual({ status: "blocked", word, isUnknown: true });
  const { remarks, tasks } = settleStates(rows(`Title,Status\na,${word}\nb,${word}\n`), new Map());
  expect(tasks.map(({ notes, status }) => [status, notes])).toEqual(
    Array(2).fill(["blocked", [`Its status in the source: ${word}`]]),
  );
  expect(remarks.join()).toContain(`${word} (2, taken as blocked)`);
});

it.each([
  ["Done", "ja", "blocked"],
  ["Done", "TRUE", "done"],
  ["Done", "nein, noch nicht", "blocked"],
  ["Completed", "", "todo"],
  ["Completed Date", "2/1/2026", "done"],
  ["Date Done", "1700000000000", "done"],
  ["% Complete", "100 %", "done"],
  ["% Complete", "50 %", "todo"],
  ["Progress", "Completed", "done"],
  ["Progress", "1", "todo"],
  ["Cancelled At", "2026-01-01", "cancelled"],
  ["Resolution", "Won't Do", "cancelled"],
])("a column proves a state if the source has no other: %s %j", (column, value, status) => {
  promise("import.states");
  const { tasks } = settleStates(rows(`Title,${column}\na,"${value}"\n`), new Map());
  expect(tasks.map((task) => task.status)).toEqual([status]);
});

it.each([
  [{ state: "MERGED" }, "done"],
  [{ state: "locked" }, "blocked"],
  [{ state: { name: "Shipped" } }, "done"],
  [{ state: { name: "Weird" } }, "blocked"],
  [{ closedAt: "2026-01-01T00:00:00Z" }, "done"],
  [{ state: "OPEN", closedAt: null }, "todo"],
])("a forge's issue with %j is %s", (fields, status) => {
  promise("import.states");
  for (const [format, own] of [
    ["github", { number: 1, body: "x" }],
    ["gitlab", { iid: 1, description: "x" }],
  ] as const) {
    const text = JSON.stringify([{ title: "a", ...own, ...fields }]);
    const { tasks } = settleStates(readAs(format, [{ path: "i.json", text }]), new Map());
    expect(tasks.map((task) => task.status)).toEqual([status]);
  }
});

it("a person's word for it counts, in any case, for words that Pawl knows too", () => {
  promise("import.states");
  const statuses = openStatuses(parseStatuses(["Erledigt=done", "review = todo", "a=b=cancelled"]));
  const { remarks, tasks } = settleStates(
    rows("Title,Status\na,ERLEDIGT\nb,Review\nc,a=b\nd,Done\n"),
    statuses,
  );
  expect(tasks.map(({ status }) => status)).toEqual(["done", "todo", "cancelled", "done"]);
  expect(remarks).toEqual([]);
});

it("a step whose box is not known holds its task, which says why", () => {
  promise("import.states");
  const read = readAs("openspec", [
    { path: "openspec/changes/c/tasks.md", text: "- [x] 1.1 a\n- [o] 1.2 b\n" },
  ]);
  const { remarks, tasks } = settleStates(read, new Map());
  expect(tasks[0]).toMatchObject({ status: "blocked", notes: ["c.1.2: Its status in the source: [o]"] });
  expect(remarks.join()).toContain("[o] (1, taken as blocked)");
  const known = settleStates(read, openStatuses({ "[o]": "done" }));
  expect(known.tasks[0]?.status).toBe("done");
  expect(known.tasks[0]?.steps.map(({ status }) => status)).toEqual(["done", "done"]);
});

it("a heading that is a column of a board says the state of what is below it", () => {
  promise("import.states");
  const states = (text: string) =>
    readMarkdown([{ path: "TODO.md", text }]).tasks.map(({ status }) => status);
  const bullets =
    "## Todo\n- a\n## In Progress 🚧\n- b\n## Done ✓\n- c\n### Week (2)\n- d\n## Testing\n- e\n";
  expect(states(bullets)).toEqual(["todo", "in_progress", "done", "done", "todo"]);
  expect(states("## Doing\n- [ ] a\n  - [x] b\n## Done\n- [ ] c\n- [x] d\n")).toEqual([
    ...["in_progress", "done", "blocked", "done"],
  ]);
  expect(states("- ~~[ ] a~~\n- [ ] ~~b~~\n- [ ] c ~~d~~ e\n")).toEqual(["cancelled", "cancelled", "todo"]);
});

it("says what is wrong with a word and its status", () => {
  for (const each of ["Erledigt", "=done", "Erledigt=fertig"])
    expect(() => parseStatuses([each])).toThrow(/expected WORD=STATUS, found/);
});

it("names the file whose line ends or signs are written otherwise, also within JSON", () => {
  promise("import.texts");
  const said = (format: "markdown" | "task-master", text: string) =>
    readAs(format, [{ path: "a", text }]).remarks.filter((each) => each.includes("line ends"));
  const json = (body: string) => `[{"id":1,"title":"t","status":"done","details":"${body}"}]`;
  expect(said("markdown", "- [ ] a\r\n")).toHaveLength(1);
  expect(said("markdown", "\uFEFF- [ ] a\n")).toEqual([]);
  expect(said("task-master", json("a\\r\\nb"))).toHaveLength(1);
  expect(said("task-master", json("a\\u0007b"))).toHaveLength(1);
  expect(said("task-master", json("C:\\\\readme\\n\\u00e4"))).toEqual([]);
  expect(readMarkdown([{ path: "a", text: "- [ ] a\r\n" }]).tasks[0]?.title).toBe("a");
});
