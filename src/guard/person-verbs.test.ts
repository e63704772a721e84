import { describe, expect, it } from "vitest";
import { COMMANDS } from "../surfaces/cli/line/commands.ts";
import { WORKFLOWS } from "../workflows/index.ts";
import { PERSON_VERBS, personVerbOf } from "./person-verbs.ts";

describe("a person's verbs", () => {
  it("are commands of the program, of two words if they have two", async () => {
    const modules = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
    const known = [...COMMANDS, ...modules.flatMap(({ verbs }) => verbs)].map(({ name }) => name);
    expect(PERSON_VERBS.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  it("are known behind options, and not if they only show something", () => {
    expect(personVerbOf(["--project", "approve", "status"])).toBeNull();
    expect(personVerbOf(["--project", "x", "approve", "y"])).toBe("approve");
    expect(personVerbOf(["--format", "json", "approve", "y"])).toBe("approve");
    expect(personVerbOf(["done", "T1", "--force"])).toBe("done --force");
    expect(personVerbOf(["done", "T1"])).toBeNull();
    expect(personVerbOf(["task", "ready", "T1"])).toBe("ready");
    expect(personVerbOf(["task", "step", "cancel", "T1.2"])).toBe("step cancel");
    expect(personVerbOf(["config", "policy", "--accept"])).toBe("policy --accept");
    expect(personVerbOf(["task", "list"])).toBeNull();
    expect(personVerbOf(["approve", "--help"])).toBeNull();
    expect(personVerbOf(["approve", "x", "-m", "--help"])).toBe("approve");
    expect(personVerbOf(["trust", "--show"])).toBeNull();
    expect(personVerbOf([])).toBeNull();
  });
});
