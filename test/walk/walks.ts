/**
 * Which files a call visits on its way: `node test/walk/walks.ts` prints each walk, in the order of the first entry.
 *
 * submit_work: from the tool's call, over MCP, to the commit's first byte in the journal. step to merge: from the loop's
 * first look to the merge that is published, with the outside in memory.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AlfredProject, CLEAN, taskMarkdown } from "../rig/alfred-project.ts";
import { connect } from "../rig/client.ts";
import { useScratchStateHome } from "../rig/state-home.ts";

const ID = "TS-01";

export interface Walk {
  /** Of which a function ran, in the order of the first entry. */
  readonly files: readonly string[];
  /** Those through which the call comes to its end, from the outermost. */
  readonly underway: readonly string[];
}

const ROOT = resolve(import.meta.dirname, "../..");
const FOLLOW = join(ROOT, "test/walk/follow.ts");

/** `submit_work` of the plan's first artifact, over MCP. */
export async function walkSubmitWork(): Promise<Walk> {
  using project = new AlfredProject();
  project.write("pawl.yaml", "alfred:\n  reviews:\n    default: []\n");
  const followed = recorded("src/surfaces/mcp/call.ts");
  const server = await connect(
    { root: project.root },
    { program: join(ROOT, "src/main.ts"), workflows: ["alfred"], environment: followed.environment },
  );
  const call = async (tool: string, input: Record<string, unknown>) => {
    const { isError, text } = await server.call(tool, input);
    if (isError) throw new Error(text);
  };
  await call("create_task", { task_content: taskMarkdown(ID) });
  await call("start_task", { task_id: ID });
  await call("submit_work", { task_id: ID, artifact: CLEAN });
  await server[Symbol.asyncDispose]();
  return last(followed.take());
}

/** A task of one step, from the loop's first look to its merge. */
export function walkStepToMerge(): Walk {
  const followed = recorded("src/workflows/bloom/scheduler/loop.ts");
  execFileSync(process.execPath, [join(ROOT, "test/walk/bloom.ts")], {
    env: { ...process.env, ...followed.environment },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return last(followed.take());
}

function recorded(from: string) {
  const folder = mkdtempSync(join(tmpdir(), "pawl-walk-"));
  const to = join(folder, "walks.jsonl");
  return {
    environment: { NODE_OPTIONS: `--import=${FOLLOW}`, WALK_FROM: from, WALK_TO: to },
    take(): readonly Walk[] {
      const text = readFileSync(to, "utf8");
      rmSync(folder, { recursive: true });
      return text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    },
  };
}

function last(walks: readonly Walk[]): Walk {
  const walk = walks.at(-1);
  if (walk === undefined) throw new Error("nothing was followed");
  return walk;
}

if (import.meta.main) {
  process.once("exit", useScratchStateHome());
  const walks = {
    "submit_work to its first byte": await walkSubmitWork(),
    "step to merge": walkStepToMerge(),
  };
  for (const [name, { files, underway }] of Object.entries(walks)) {
    const list = (all: readonly string[]) =>
      all.map((file, at) => `${String(at + 1).padStart(4)}  ${file}\n`).join("");
    process.stdout.write(`${name}: through ${underway.length} files\n${list(underway)}`);
    process.stdout.write(`of ${files.length} files a function ran\n${list(files)}\n`);
  }
}
