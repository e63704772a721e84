/**
 * Puts what `npm run demo -- --trust` prints into docs/internals/demonstrations.md: `node scripts/record-trust.ts`, after a build. A
 * test plays the demonstrations and holds the page to it.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const PAGE = `${ROOT}docs/internals/demonstrations.md`;

/** The page with its recordings, one of each demonstration and one of the summary, as they were printed. */
export function withRecordings(page: string, printed: string): string {
  const [, ...parts] = printed.trimEnd().split(/\n\n(?=\d\. |Which layer)/);
  const blocks = page.split(/^(```text\n[\s\S]*?^```)$/m);
  if (blocks.length !== 2 * parts.length + 1)
    throw new Error(
      `${parts.length} parts were printed, and the page has ${(blocks.length - 1) / 2} places.`,
    );
  return blocks
    .map((block, at) => (at % 2 === 0 ? block : `\`\`\`text\n${parts[(at - 1) / 2]}\n\`\`\``))
    .join("");
}

/** Without what may differ from machine to machine: how many calls and seconds it was until something stopped. */
export function comparable(text: string): string {
  return text.replace(/\d+ calls: .* began$/gm, "N calls").replace(/it ran for \d+ s/g, "it ran for N s");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const run = spawnSync(process.execPath, ["demo/run.ts", "--trust", "--fast"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(`The demonstrations failed:\n${run.stdout}${run.stderr}`);
  if (!run.stdout.includes("behind a wall here")) throw new Error("Record where there is a wall.");
  writeFileSync(PAGE, withRecordings(readFileSync(PAGE, "utf8"), run.stdout));
}
