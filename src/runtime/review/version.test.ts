import { expect, test } from "vitest";
import { stepOn } from "../../../test/rig/steps.ts";
import { decidedWords } from "./version.ts";

test("who decided last is said with the database's login of that time", () => {
  const submitted = stepOn(undefined, "a:1", "submit");
  const ada = { channel: "terminal", who: "ada" } as const;
  const approved = stepOn(submitted, "a:1", "approve", { strength: "terminal", by: ada });
  const accepted = stepOn(approved, "a:1", undefined, { strength: "board", kind: "accepted" });
  expect(decidedWords([submitted])).toBe("");
  expect(decidedWords([submitted, approved, submitted])).toBe(
    ` ada has decided already: approve, ${approved.time}.`,
  );
  expect(decidedWords([approved], new Map([[approved.time, "ada_db"]]))).toContain("ada_db");
  expect(decidedWords([approved, accepted])).toContain(" A person has decided already: accepted,");
});
