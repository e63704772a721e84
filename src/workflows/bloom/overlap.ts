/**
 * Which tasks will likely change the same files, by the files that their texts name: begun together they would end in a
 * conflict. A forecast changes the order only: where every task that is ready overlaps, the first one begins.
 */
import type { Task } from "../../tasks-file/task.ts";

/** `src/api/users.ts`, `docs/users.md`, `Makefile.am`; a version, an abbreviation or an address is none. */
const FILE = /(?<![\w:/.-])(?:(?:[\w-][\w.-]*\/)+[\w-]+|[\w-]{2,})(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}(?![\w/])/g;
/** More of a text is not looked through: its first files tell enough. */
const MOST_CHARACTERS = 20_000;

const known = new WeakMap<Task, ReadonlySet<string>>();

/** The files that the task's title, instructions, criteria and steps name. */
export function filesNamed(task: Task): ReadonlySet<string> {
  const found =
    known.get(task) ??
    new Set(
      textOf(task)
        .match(FILE)
        ?.map((path) => path.replace(/^\.\//, "")),
    );
  known.set(task, found);
  return found;
}

function textOf({ title, instructions = "", acceptance_criteria, steps }: Task): string {
  const texts = [title, instructions, ...acceptance_criteria, ...steps.map((step) => step.instruction)];
  return texts.join("\n").slice(0, MOST_CHARACTERS);
}

/** The candidates, one by one: each time the first that names no file of those at work, else simply the first. */
export function* apart(candidates: readonly Task[], atWork: () => readonly Task[]): Generator<Task> {
  const rest = [...candidates];
  while (rest.length > 0) {
    const taken = new Set(atWork().flatMap((task) => [...filesNamed(task)]));
    const at =
      taken.size === 0 ? 0 : rest.findIndex((task) => ![...filesNamed(task)].some((file) => taken.has(file)));
    const [next] = rest.splice(Math.max(at, 0), 1);
    if (next !== undefined) yield next;
  }
}
