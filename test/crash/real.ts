/** Real processes on a real disk: killed by SIGKILL at every call, and many at once. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { openStore } from "../../src/adapters/files/store.ts";
import { type CheckAnswer, type RunAnswer, readTree, stateOf, type Task } from "./child.ts";
import { EDITORS, SHAPES, type Shape } from "./shapes.ts";
import type { Report } from "./simulation.ts";

const project = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const SIDE_BY_SIDE = 2 * availableParallelism();
const PROCESSES = 16;
const COMMITS = 50;

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

/** `report` gets the points and failures of both parts. */
export async function tryForReal(report: Report, shapes: readonly Shape[]): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "pawl-crash-"));
  const bundle = join(project, "dist", `crash-child-${process.pid}.mjs`);
  try {
    // One file starts in half the time, and a thousand are started.
    await build({
      entryPoints: [join(project, "test/crash/child.ts")],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node22",
      logLevel: "error",
    });
    for (const shape of shapes) await kill(shape, work, bundle, report);
    await together("one run", () => ({ run: "test:one", file: "count" }), work, bundle, report);
    const many = (index: number) => ({ run: `test:${index}`, file: `count-${index}` });
    await together("many runs", many, work, bundle, report);
  } finally {
    rmSync(work, { recursive: true, force: true });
    rmSync(bundle, { force: true });
  }
}

async function kill(shape: Shape, work: string, bundle: string, report: Report): Promise<void> {
  const folder = join(work, String(SHAPES.indexOf(shape)));
  const start = join(folder, "start");
  for (const [path, text] of Object.entries(shape.files)) {
    mkdirSync(dirname(join(start, path)), { recursive: true });
    writeFileSync(join(start, path), text);
  }
  await shape.before?.(openStore({ root: start, state: stateOf(start), editors: async () => EDITORS }));

  const copy = (name: string) => {
    const root = join(folder, name);
    cpSync(start, root, { recursive: true });
    if (existsSync(stateOf(start).folder))
      cpSync(stateOf(start).folder, stateOf(root).folder, { recursive: true });
    return root;
  };
  const before = readTree(start);
  const whole = await ask<RunAnswer>(bundle, { type: "run", root: copy("whole"), shape: shape.name, at: 0 });
  const points = Array.from({ length: whole.calls }, (_, index) => index + 1);
  const roots = points.map((at) => copy(`killed-${at}`));
  await sideBySide(points, async (at) => {
    const ended = await startChild(bundle, { type: "run", root: roots[at - 1] ?? "", shape: shape.name, at });
    if (ended.signal !== "SIGKILL")
      report.failures.push(`${shape.name} · SIGKILL · the child was not killed at call ${at}: ${ended.err}`);
  });
  const { failures } = await ask<CheckAnswer>(bundle, {
    type: "check",
    roots,
    allowed: [before, whole.tree],
  });
  report.points.set("SIGKILL", (report.points.get("SIGKILL") ?? 0) + points.length);
  report.failures.push(...failures.map((failure) => `${shape.name} · SIGKILL · ${failure}`));
  rmSync(folder, { recursive: true, force: true });
}

/** Many processes, each committing many times: every single commit must be there. */
async function together(
  name: string,
  share: (index: number) => { run: string; file: string },
  work: string,
  bundle: string,
  report: Report,
): Promise<void> {
  const root = join(work, name.replace(" ", "-"));
  mkdirSync(root);
  const indexes = Array.from({ length: PROCESSES }, (_, index) => index);
  await Promise.all(
    indexes.map((index) =>
      ask(bundle, { type: "count", root, ...share(index), times: COMMITS, name: `p${index}` }),
    ),
  );
  const kind = `commits of ${PROCESSES} processes on ${name}`;
  report.points.set(kind, PROCESSES * COMMITS);
  const files = new Set(indexes.map((index) => share(index).file));
  const counted = [...files].reduce((sum, file) => sum + Number(readFileSync(join(root, file), "utf8")), 0);
  const lines = readFileSync(join(root, ".pawl/events.jsonl"), "utf8").trim().split("\n");
  const ids = new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id));
  if (counted !== PROCESSES * COMMITS || ids.size !== counted || lines.length !== counted)
    report.failures.push(`${kind} · counted ${counted}, ${lines.length} events, ${ids.size} different`);
}

async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
}

async function ask<Answer>(bundle: string, task: Task): Promise<Answer> {
  const { code, signal, out, err } = await startChild(bundle, task);
  if (code !== 0) throw new Error(`a child ended with ${code ?? signal}: ${err}`);
  return JSON.parse(out) as Answer;
}

function startChild(bundle: string, task: Task): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bundle, JSON.stringify(task)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  });
}
