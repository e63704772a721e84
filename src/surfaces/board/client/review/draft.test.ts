import { expect, it } from "vitest";
import { change, discard, draftOf } from "./draft.ts";

it("Notes belong to the version that they were written on, until nothing is written", () => {
  const draft = draftOf("p", "alfred:A-1");
  change({ draft: draft, version: "one" }, { notes: "why?" });
  change({ draft: draft, version: "two" }, { points: [{ id: 1, text: "name it", at: "a.ts:3" }] });
  expect(draft.value.version).toBe("one");
  change({ draft: draft, version: "two" }, { notes: "", points: [] });
  expect(draft.value.version).toBe("");
  change({ draft: draft, version: "two" }, { notes: "again" });
  expect(draft.value.version).toBe("two");
});

it("What was viewed stays so after the notes were sent", () => {
  const draft = draftOf("p", "alfred:A-2");
  change({ draft: draft, version: "one" }, { notes: "x", viewed: { "a.ts": "one" } });
  discard(draft);
  expect(draft.value).toEqual({ version: "", notes: "", points: [], viewed: { "a.ts": "one" } });
});
