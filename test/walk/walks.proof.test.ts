import { expect, it } from "vitest";
import { type Walk, walkStepToMerge, walkSubmitWork } from "./walks.ts";

/** Of a call that comes to its end: through how many files, and of how many a function ran. */
const figures = ({ files, underway }: Walk) => [underway.length, files.length];

const LONG = { timeout: 120_000 };

it(
  "submit_work comes from the tool's call to its first byte through at most 9 files, each entered once, and runs functions of at most 108",
  LONG,
  async () => {
    const walk = await walkSubmitWork();
    expect(walk.files).toContain("src/workflows/alfred/tools/submit-work.ts");
    expect(walk.underway.at(-1)).toBe("src/adapters/files/node-disk.ts");
    const [through, ran] = figures(walk);
    expect(through).toBeLessThanOrEqual(9);
    expect(walk.underway).toEqual([...new Set(walk.underway)]);
    expect(ran).toBeLessThanOrEqual(108);
  },
);

it(
  "a step comes from the loop's first look to its merge through files that are entered once, by functions of at most 97 files",
  LONG,
  () => {
    const walk = walkStepToMerge();
    expect(walk.files).toContain("src/workflows/bloom/commands/deliver.ts");
    const [through, ran] = figures(walk);
    expect(through).toBeLessThanOrEqual(3);
    expect(walk.underway).toEqual([...new Set(walk.underway)]);
    expect(ran).toBeLessThanOrEqual(97);
  },
);
