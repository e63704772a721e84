/**
 * Plans whose boxes are the steps of one piece of work: Conductor's tracks, Agent OS's specs, ExecPlans. The
 * plan's other text stays in its file, which the task names.
 */
import type { Fields } from "../../core/json.ts";
import { isOpenStatus } from "../../tasks-file/task.ts";
import { boxSteps, type Feature, featuresIn, featureTask, named, titleIn } from "../checklists.ts";
import { parseJson } from "../json.ts";
import { outline } from "../outline.ts";
import type { Read, SourceFile, SourceTask, State } from "../source.ts";
import { stateOf } from "../states.ts";
import { textOf } from "../words.ts";

/** Reads `conductor/tracks/NAME/plan.md`. The list of tracks or a track's own data may call it over before all boxes are. */
export function readConductor(files: readonly SourceFile[]): Read {
  const lists = files
    .filter(({ path }) => /(?:^|\/)tracks\.md$/.test(path))
    .map(({ text }) => tickedIn(text));
  return planned(files, /(?:^|\/)(?:tracks|archive)\/[^/]+\/plan\.md$/, (feature) => {
    if (lists.some((names) => names.has(feature.name))) return trackOf(feature, { status: "done" });
    const data = named(feature.others, "metadata.json");
    const { status } = data === undefined ? { status: "" } : (parseJson(data.path, data.text) as Fields);
    const state = stateOf(textOf(status));
    return trackOf(feature, isOpenStatus(state.status) ? undefined : state);
  });
}

/** The folders of the ticked tracks. */
function tickedIn(text: string): ReadonlySet<string> {
  const tracks = text.split(/^(?=(?:#{1,4}|[-*])[ \t]+\[)/m).filter((each) => /^\S+[ \t]+\[x\]/i.test(each));
  return new Set(tracks.flatMap((each) => /\btracks\/([^/\s)\]]{1,200})/.exec(each)?.[1] ?? []));
}

/** Reads `agent-os/specs/NAME/tasks.md`. */
export function readAgentOs(files: readonly SourceFile[]): Read {
  return planned(files, /(?:^|\/)tasks\.md$/, (feature) => trackOf(feature));
}

function trackOf(feature: Feature, state?: State): SourceTask {
  const { name, others, tasks } = feature;
  const isArchived = /(?:^|\/)archive\//.test(tasks.path);
  const over = isArchived ? { status: "done" as const } : state;
  return featureTask(feature, tasks.path, boxSteps(outline(tasks.text).entries), {
    title: titleIn(named(others, "spec.md"), titleIn(tasks, name)),
    text: "",
    ...(over === undefined ? {} : { state: over }),
    notes: isArchived ? ["Archived in the source"] : [],
  });
}

const PROGRESS = /^progress\b/i;

/** Whether a file has the sections that PLANS.md requires of an ExecPlan. */
export function isExecPlan({ text }: SourceFile): boolean {
  return /^#{1,3} Progress\b/m.test(text) && /^#{1,3} (?:Surprises|Decision Log|Outcomes)/m.test(text);
}

/** Reads the boxes below the heading Progress. */
export function readExecPlans(files: readonly SourceFile[]): Read {
  return planned(
    files.filter((file) => isExecPlan(file)),
    /\.md$/,
    (feature) => {
      const { entries } = outline(feature.tasks.text);
      const from = entries.findIndex(({ kind, text }) => kind === "heading" && PROGRESS.test(text));
      const rest = entries.slice(from + 1);
      const depth = entries[from]?.depth ?? 1;
      const end = rest.findIndex((entry) => entry.kind === "heading" && entry.depth <= depth);
      const name = feature.tasks.path.split("/").at(-1)?.replace(/\.md$/i, "") ?? feature.name;
      const entry = { ...feature, name, others: [] };
      return featureTask(entry, feature.tasks.path, boxSteps(end < 0 ? rest : rest.slice(0, end)), {
        title: titleIn(feature.tasks, name),
        text: "",
      });
    },
  );
}

function planned(files: readonly SourceFile[], name: RegExp, taskOf: (feature: Feature) => SourceTask): Read {
  const tasks = featuresIn(files, name).map(taskOf);
  const remarks = tasks.flatMap(({ key, steps }) =>
    steps.length === 0 ? [`${key} has no boxes: it is one task without steps.`] : [],
  );
  return { tasks, remarks };
}
