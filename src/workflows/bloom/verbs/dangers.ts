/** What an edit of tasks changes of that which decides what runs, who agrees, and what it may cost. */
import { comparePolicies, type PolicyChange, renderChange } from "../../../core/policy.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";
import { taskPolicy } from "../govern.ts";

/** One line for each key, by task; empty if the edit changes none of them. */
export function dangersBetween(before: readonly Task[], after: readonly Task[]): readonly string[] {
  const [was, is] = [byId(before), byId(after)];
  const ids = [...new Set([...was.keys(), ...is.keys()])];
  return ids.flatMap((id) => {
    const [old, now] = [was.get(id), is.get(id)];
    if (now === undefined) return [`${id} is removed`];
    return [...policyDangers(old, now), ...wordDangers(old, now)].map((words) => `${id} ${words}`);
  });
}

function byId(tasks: readonly Task[]): ReadonlyMap<string, Task> {
  return new Map(eachTask(tasks).map(({ task }) => [task.id, task]));
}

/** Of a new task: what it would run, or lets be looser than the settings do. */
function policyDangers(old: Task | undefined, now: Task): readonly string[] {
  const changes = comparePolicies(old ? taskPolicy(old) : {}, taskPolicy(now));
  return changes.filter((change) => old !== undefined || isCommand(change)).map(wordsOf);
}

function isCommand({ path }: PolicyChange): boolean {
  return /\.(?:verify|acceptance_criteria)$/.test(path) || path === "task.agent";
}

function wordsOf(change: PolicyChange): string {
  const words = renderChange({ ...change, path: change.path.replace(/^task\./, "") });
  if (change.path === "task.checkpoint" && change.loosens) return `${words}: no person approves it any more`;
  return change.loosens ? `${words} (looser)` : words;
}

/** The texts that an agent follows. */
function wordDangers(old: Task | undefined, now: Task): readonly string[] {
  if (old === undefined) return [];
  const steps = new Map(old.steps.map((step) => [step.id, step.instruction]));
  const changed = now.steps.filter(({ id, instruction }) => steps.has(id) && steps.get(id) !== instruction);
  const kept = new Set(now.steps.map(({ id }) => id));
  return [
    ...(old.instructions === now.instructions ? [] : ["instructions: changed"]),
    ...changed.map(({ id }) => `step ${id}: its instruction is changed`),
    ...[...steps.keys()].filter((id) => !kept.has(id)).map((id) => `step ${id}: removed`),
  ];
}
