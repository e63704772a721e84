import { idOf, isUnbegun, overview } from "./overview.ts";
import { loadWorkflow, loadWorkflows, type Project } from "./project.ts";
import { type Scope, unreadableScope } from "./scope.ts";

type Runs = Pick<Project, "runtime" | "workflows">;

/**
 * The scopes of all open runs. A workflow whose runs cannot be listed is one scope, in which nothing may be written.
 * Throws if none can be listed, all for the same reason.
 */
export async function openScopes(project: Runs): Promise<readonly Scope[]> {
  const view = project.runtime.store.view();
  const scopes: Scope[] = [];
  for (const { name, problem, runs } of await overview(project, view)) {
    const { scope } = await loadWorkflow(project.workflows, name);
    if (scope === undefined) continue;
    if (problem) scopes.push(unreadableScope(name, problem));
    for (const run of runs) {
      if (isUnbegun(run) || (run.awaits === "nobody" && !run.problem)) continue;
      const found = await scope(view, idOf(run.run));
      if (found) scopes.push(found);
    }
  }
  return scopes;
}

/** The run, as `workflow:id`, that a call of an MCP tool is about; null: of none. */
export async function runOfCall(
  { workflows }: Pick<Project, "workflows">,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  for (const { name, runOfCall: idOfCall } of await loadWorkflows(workflows)) {
    const id = idOfCall?.(tool, input) ?? null;
    if (id !== null) return `${name}:${id}`;
  }
  return null;
}

/** The scope of a run whose work is done in the project's own checkout; null: it is not such a run, or it is over. */
export async function scopeInCheckout({ runtime, workflows }: Runs, run: string): Promise<Scope | null> {
  const [workflow = "", id = ""] = run.split(/:(.*)/s);
  const load = Object.hasOwn(workflows, workflow) ? workflows[workflow] : undefined;
  const { runOfCall: isCalled, scope } = (await load?.()) ?? {};
  return (isCalled && (await scope?.(runtime.store.view(), id))) ?? null;
}
