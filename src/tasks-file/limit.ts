/** The limit of tasks.yaml as a file. In a database it may hold as much YAML as Pawl reads: 4 MB. */
import { PawlError } from "../core/error.ts";
import type { Settings } from "../core/settings.ts";
import { eachTask, type Task } from "./task.ts";

const MAX_TASKS = 2_000;
const MAX_BYTES = 1_000_000;

interface Checked {
  readonly path: string;
  readonly text: string;
  /** The tasks, or a lower bound of their number. Null: not known yet. */
  readonly tasks: readonly Task[] | number | null;
  /** Whether a command made the text, or read it. */
  readonly by: "change" | "read";
}

/** Throws `tasks-too-large`. */
export function checkLimit({ stores }: Pick<Settings, "stores">, { by, path, tasks, text }: Checked): void {
  if (stores.bloom !== "files") return;
  const count = typeof tasks === "object" ? eachTask(tasks ?? []).length : tasks;
  // A character has at least one byte, and at most three.
  const bytes = text.length * 3 <= MAX_BYTES ? 0 : new TextEncoder().encode(text).length;
  const found =
    bytes > MAX_BYTES ? `${shown(bytes)} bytes` : count > MAX_TASKS ? `${shown(count)} tasks` : null;
  if (found === null) return;
  throw new PawlError(
    "tasks-too-large",
    `${path} ${by === "read" ? "has" : "would have"} ${found}: a file holds at most ${shown(MAX_TASKS)} tasks and ${shown(MAX_BYTES)} bytes.${by === "read" ? "" : " Nothing was changed."}`,
    "Keep the tasks in PostgreSQL: `pawl database init`, `pawl database import`, then `stores: {bloom: postgres}` in pawl.yaml (docs/several-machines.md). Or move tasks that are done to another file.",
  );
}

function shown(count: number): string {
  return count.toLocaleString("en");
}
