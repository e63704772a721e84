import { expect, it } from "vitest";
import { walkStepToMerge, walkSubmitWork } from "./walks.ts";

const LONG = { timeout: 120_000 };

it(
  "submit_work comes from the tool's call to its first byte through at most 9 files, each entered once",
  LONG,
  async () => {
    const { files, underway } = await walkSubmitWork();
    expect(files).toContain("src/workflows/alfred/tools/submit-work.ts");
    expect(underway.at(-1)).toBe("src/adapters/files/node-disk.ts");
    expect(underway.length).toBeLessThanOrEqual(9);
    expect(underway).toEqual([...new Set(underway)]);
  },
);

it(
  "a step comes from the loop's first look to its merge through at most 3 files, each entered once",
  LONG,
  () => {
    const { files, underway } = walkStepToMerge();
    expect(files).toContain("src/workflows/bloom/commands/deliver.ts");
    expect(underway.length).toBeLessThanOrEqual(3);
    expect(underway).toEqual([...new Set(underway)]);
  },
);
