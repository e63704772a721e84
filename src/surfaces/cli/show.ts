import { type PawlError, toPawlError } from "../../core/error.ts";
import type { Reply, WorkflowModule } from "../../runtime/module.ts";
import { overview, runAmbiguous, runMissing } from "../../runtime/overview.ts";
import { loadWorkflow, loadWorkflows, type Project } from "../../runtime/project.ts";
import { advance } from "../../runtime/run-transaction.ts";
import type { Host, Run } from "./command.ts";
import { answerOf } from "./run-verb.ts";

/** Tells a task's or run's story: `workflow:id`, or an id that one workflow knows. `bloom` asks its own workflow first. */
export const show: Run = async (host, call) => {
  const project = await host.project();
  const name = String(call.arguments.run);
  const colon = name.indexOf(":");
  if (colon > 0) {
    const module = await loadWorkflow(project.workflows, name.slice(0, colon));
    const told = await tell(project, host, module, name.slice(colon + 1));
    if (told === null) throw runMissing(name, []);
    if ("error" in told) throw told.error;
    return { ...answerOf(told.reply), isMarkdown: true };
  }
  const stories = await storiesOf(project, host, name);
  const known = stories.filter((story) => "reply" in story.told || !isUnknown(story.told.error));
  const own = known.find(({ workflow }) => workflow === host.name);
  const [first] = own ? [own] : known;
  if (first === undefined) {
    const mine = stories.find(({ workflow }) => workflow === host.name);
    if (mine && "error" in mine.told) throw mine.told.error;
    throw runMissing(
      name,
      (await overview(project)).flatMap(({ runs }) => runs.map(({ run }) => run)),
    );
  }
  // Nobody could look: what keeps all of them from it is said, and not that they all know the id.
  const faults = known.flatMap(({ told }) => ("error" in told ? [told.error] : []));
  if (!own && faults.length === known.length && faults.every(({ message }) => message === faults[0]?.message))
    throw faults[0] ?? runMissing(name, []);
  if (!own && known.length > 1)
    throw runAmbiguous(
      name,
      known.map(({ workflow }) => `${workflow}:${name}`),
    );
  if ("error" in first.told) throw first.told.error;
  return { ...answerOf(first.told.reply), isMarkdown: true };
};

type Told = { readonly reply: Reply } | { readonly error: PawlError };

interface Story {
  readonly workflow: string;
  readonly told: Told;
}

async function storiesOf(project: Project, host: Host, id: string): Promise<readonly Story[]> {
  const stories: Story[] = [];
  for (const module of await loadWorkflows(project.workflows)) {
    const told = await tell(project, host, module, id);
    if (told) stories.push({ workflow: module.name, told });
  }
  return stories;
}

/** What the workflow tells of the id, or why it cannot; null where it tells no stories. */
async function tell(project: Project, host: Host, module: WorkflowModule, id: string): Promise<Told | null> {
  if (!module.story) return null;
  try {
    return await advance(project.runtime, await module.story(), { id }, host.caller);
  } catch (thrown) {
    return { error: toPawlError(thrown) };
  }
}

/** The workflow has no such task, or no tasks at all: another may know the id. */
const UNKNOWN: readonly string[] = ["task-missing", "run-missing", "tasks-missing", "id-invalid", "usage"];

const isUnknown = ({ code }: PawlError): boolean => UNKNOWN.includes(code);
