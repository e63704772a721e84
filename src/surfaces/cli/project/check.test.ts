import { describe, expect, it } from "vitest";
import { DOOR_TABLE } from "../../../../test/rig/door.ts";
import { promise } from "../../../../test/rig/promise.ts";
import { check } from "../../../engine/check.ts";
import { WORKFLOWS } from "../../../workflows/index.ts";
import { paintOf } from "../terminal/terminal.ts";
import { renderReports } from "./check.ts";
import { tablesOf } from "./tables.ts";

const PAINT = paintOf(false);

describe("pawl check", () => {
  it("shows every shipped table within 80 columns", async () => {
    const { tables } = await tablesOf(WORKFLOWS, undefined);
    const text = renderReports(
      tables.map((table) => check(table)),
      [],
      80,
      PAINT,
    );
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toContain("refused");
  });

  it.each([40, 60])("leaves out counts if %i columns have no room for them", async (columns) => {
    promise("cli.readable");
    const { tables } = await tablesOf(WORKFLOWS, undefined);
    const text = renderReports(
      tables.map((table) => check(table)),
      [],
      columns,
      PAINT,
    );
    expect(text.split("\n").filter((line) => line.length > columns)).toEqual([]);
    expect(text).toMatch(/^create_tasks_from_spec .* {2}proved$/m);
  });

  it("shows each violation with the state, the event and the facts that show it", () => {
    const [first, ...rest] = DOOR_TABLE.rules;
    const broken = {
      ...DOOR_TABLE,
      rules: [first, ...rest.filter(({ id }) => id !== "A2")].filter((rule) => rule !== undefined),
    };
    const text = renderReports(
      [check({ workflow: broken, replies: ["knocked", "waiting", "open", "nobody"] })],
      [],
      80,
      PAINT,
    );
    expect(text).toMatch(/^door .* {2}refused$/m);
    expect(text).toMatch(/^ {2}✗ /m);
    expect(text).toMatch(/^ {4}state {2}knocked$/m);
    expect(text).toMatch(/^ {4}event {2}answer$/m);
    expect(text).toMatch(/^ {4}facts {2}approved=false$/m);
    expect(text).toMatch(/1 table, \d+ violations?\./);
  });
});
