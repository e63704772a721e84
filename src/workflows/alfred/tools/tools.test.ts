import { expect, test } from "vitest";
import { z } from "zod";
import { TOOLS } from "./tools.ts";

test("the list of all tools stays short", () => {
  const list = TOOLS.map(({ description, input, name, title }) => ({
    name,
    title,
    description,
    inputSchema: z.toJSONSchema(input, { io: "input" }),
    annotations: { readOnlyHint: true, idempotentHint: true },
  }));
  const { length } = JSON.stringify(list);
  process.stdout.write(`tools/list: ${TOOLS.length} tools, ${length} characters\n`);
  expect(TOOLS.length).toBeGreaterThanOrEqual(8);
  expect(length).toBeLessThan(16_000);
});

test("no two tools have the same name", () => {
  const names = TOOLS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("create_spec says that it needs the product document", () => {
  const schema = TOOLS.find(({ name }) => name === "create_spec")?.input;
  expect(schema?.safeParse({ task_id: "TS-01" }).success).toBe(false);
  expect(schema?.safeParse({ task_id: "TS-01", prd_content: "# Rates" }).success).toBe(true);
});
