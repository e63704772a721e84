import { toPawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import type { WorkflowModule } from "../module.ts";
import { loadWorkflows, type Project } from "../project.ts";
import { type Scope, unreadableScope } from "../scope.ts";

type Runs = Pick<Project, "runtime" | "workflows">;

/**
 * The scopes of all open runs. A workflow whose runs cannot be listed becomes one scope, in which no path may
 * be written. `viewOf`: the view through which a run is read.
 */
export async function openScopes(
  { runtime, workflows }: Runs,
  viewOf: (view: View, run: string) => View = (view) => view,
): Promise<readonly Scope[]> {
  const view = runtime.store.view();
  const modules = await loadWorkflows(workflows);
  const scopesOf = async ({ name, scopes }: WorkflowModule): Promise<readonly Scope[]> => {
    if (!scopes) return [];
    try {
      const open: Scope[] = [];
      for (const id of await scopes.runIds(view)) {
        const each = await scopes.scopeOf(viewOf(view, `${name}:${id}`), id);
        if (each) open.push(each);
      }
      return open;
    } catch (thrown) {
      return [unreadableScope(name, toPawlError(thrown))];
    }
  };
  return (await Promise.all(modules.map(scopesOf))).flat();
}

/** The names, as `workflow:id`, of the runs that may be open, without reading their files. */
export async function runNames({ runtime, workflows }: Runs): Promise<readonly string[]> {
  const view = runtime.store.view();
  const namesOf = async ({ name, scopes }: WorkflowModule) =>
    ((await scopes?.runIds(view)) ?? []).map((id) => `${name}:${id}`);
  return (await Promise.all((await loadWorkflows(workflows)).map(namesOf))).flat();
}

/** The run, as `workflow:id`, that a call of an MCP tool is about; null: of none. */
export async function runOfCall(
  { workflows }: Pick<Project, "workflows">,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  for (const { name, scopes } of await loadWorkflows(workflows)) {
    const id = scopes?.runOfCall(tool, input) ?? null;
    if (id !== null) return `${name}:${id}`;
  }
  return null;
}

/**
 * The scope of a run; null: its work is not done in the project's own checkout, or it has not begun, or it is
 * over.
 */
export async function scopeOf(
  { runtime, workflows }: Runs,
  run: string,
  view: View = runtime.store.view(),
): Promise<Scope | null> {
  const [workflow = "", id = ""] = run.split(/:(.*)/s);
  const load = Object.hasOwn(workflows, workflow) ? workflows[workflow] : undefined;
  return (await (await load?.())?.scopes?.scopeOf(view, id)) ?? null;
}
