/**
 * Predicts which tasks will change the same files, from the files that their texts name: if they run at the
 * same time, they are likely to conflict. The prediction changes only the order: if every ready task
 * overlaps, the first one begins.
 */
import { criterionText } from "../../core/criterion.ts";
import type { Task } from "../../tasks-file/task.ts";

/**
 * Matches `src/api/users.ts`, `docs/users.md`, `Makefile.am`; not a version, an abbreviation or an address.
 */
const FILE = /(?<![\w:/.-])(?:(?:[\w-][\w.-]*\/)+[\w-]+|[\w-]{2,})(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}(?![\w/])/g;
/** Only this much of a text is searched: the files it names first are enough. */
const MAX_CHARACTERS = 20_000;

const cache = new WeakMap<Task, ReadonlySet<string>>();

/** The files that the task's title, instructions, criteria and steps name. */
export function filesNamed(task: Task): ReadonlySet<string> {
  const found =
    cache.get(task) ??
    new Set(
      textOf(task)
        .match(FILE)
        ?.map((path) => path.replace(/^\.\//, "")),
    );
  cache.set(task, found);
  return found;
}

function textOf({ title, instructions = "", acceptance_criteria, steps }: Task): string {
  const criteria = acceptance_criteria.map(criterionText);
  const texts = [title, instructions, ...criteria, ...steps.map((step) => step.instruction)];
  return texts.join("\n").slice(0, MAX_CHARACTERS);
}

/**
 * Yields the candidates one by one: each time the first that names no file of the tasks at work, else the
 * first.
 */
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
