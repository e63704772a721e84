import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { WORKFLOW_FILE } from "./schema.ts";

const PAGE = readFileSync(new URL("../../../../docs/own-workflows.md", import.meta.url), "utf8");
const BLOCKS = [...PAGE.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);

it("takes the file that its page shows", () => {
  const file = BLOCKS.find((text) => text.includes("\ntitle:"));
  expect(WORKFLOW_FILE.safeParse(parse(file ?? "")).error?.issues).toBeUndefined();
});

it("takes the row with a command that its page shows", () => {
  const rows = BLOCKS.find((text) => text.includes("run:"));
  expect(WORKFLOW_FILE.shape.rows.safeParse(parse(rows ?? "")).error?.issues).toBeUndefined();
});
