/** What a cast's rule needs besides the decision: packaged texts, taken names, and fetched texts. */
import type { ProjectPath } from "../../core/path.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { ReviewFetch, ReviewMissing } from "../../core/ports/reviews.ts";
import type { View } from "../../core/ports/store.ts";
import type { Decision, Rule } from "../../engine/workflow.ts";
import type { Step, TypesOf } from "../../runtime/transaction/run-event.ts";
import { type Action, actionsOf } from "./actions.ts";
import { unprocessedUrls } from "./atlassian.ts";
import type { Spell } from "./events.ts";
import type { Texts } from "./facts.ts";
import { COPIED, type FileKey, REVIEW_ARCHIVES, TASK_ARCHIVES, TASK_FOLDER } from "./files.ts";
import { fetchLinks, type LinkFetch } from "./links.ts";
import { type SpellsRun, shippedText } from "./load-run.ts";
import { replyFileOf } from "./reply-file.ts";
import type { StateFile } from "./state-file.ts";

export interface Material {
  /** The packaged texts that the rule needs, by their path below `spells/`. */
  readonly shipped: ReadonlyMap<string, string>;
  /** The names that exist in the folders in which the rule may create new ones. */
  readonly taken: ReadonlyMap<ProjectPath, readonly string[]>;
  /** The task's name as one path segment; empty if the rule does not archive it. */
  readonly taskName: string;
  /** The existing guides, by name; read only if the rule copies them. */
  readonly guides: ReadonlySet<string>;
  /** The fetched texts; parts that were not requested are absent. */
  readonly links?: readonly LinkFetch[];
  readonly review?: ReviewFetch;
}

export type CastTypes = TypesOf<{
  input: { readonly spell: string };
  run: SpellsRun;
  sent: { readonly event: Spell };
  material: Material;
}>;

/** A cast whose rule is decided. */
export type Cast = Pick<Step<CastTypes>, "run" | "sent" | "decision" | "material">;

/** Reads and fetches what the rule needs. */
export async function loadMaterial(
  run: SpellsRun,
  decision: Decision,
  view: View,
  outside: Pick<Outside, "references" | "reviews">,
): Promise<Material> {
  const actions = actionsOf(decision.rule.id);
  const shipped = await loadShipped(view, [replyFileOf(decision), ...shippedFor(actions)]);
  return {
    shipped,
    taskName: await loadTaskName(run.texts, shipped, actions),
    taken: await loadTaken(view, actions),
    guides: await loadGuides(view, actions),
    ...(await fetchFor(run, decision.rule, outside)),
  };
}

async function fetchFor(
  { refs, state, texts }: SpellsRun,
  { id }: Rule,
  { references, reviews }: Pick<Outside, "references" | "reviews">,
): Promise<Pick<Material, "links" | "review">> {
  for (const action of actionsOf(id)) {
    if (action.type === "fetch-links")
      return { links: await fetchLinks(unprocessedUrls(texts[action.file] ?? "", refs), references) };
    if (action.type === "fetch-comments" && !(action.keep && texts.comments !== null)) {
      const missing = missingOf(state);
      const order = id === "H15" && missing ? { missing } : {};
      return { review: reviews ? await reviews.fetch(order) : NO_REVIEWS };
    }
  }
  return {};
}

const NO_REVIEWS = {
  kind: "not-configured",
  detail: "No access to a forge is configured.",
  help: "Cast Reparo where Pawl may ask the forge: by its command or its MCP server.",
} as const;

/** Where an incomplete fetch stopped, if the state file has a valid record of it. */
export function missingOf({ context }: StateFile): ReviewMissing | undefined {
  const value = context.comments_missing as Partial<ReviewMissing> | null | undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const { repository, number, pages } = value;
  const usable =
    typeof repository === "string" &&
    Number.isSafeInteger(number) &&
    typeof pages === "object" &&
    pages !== null &&
    Object.values(pages).every((page) => Number.isSafeInteger(page) && page > 0);
  return usable ? (value as ReviewMissing) : undefined;
}

/** The template of a working file, below `spells/`. */
export function templateOf(file: FileKey): string {
  return file === "review_task" ? "templates/review-task.md" : `templates/${file}.md`;
}

function shippedFor(actions: readonly Action[]): readonly string[] {
  return actions.flatMap((action): readonly string[] => {
    switch (action.type) {
      case "create":
        return [templateOf(action.file)];
      case "create-plan":
        return ["templates/plan.md"];
      case "archive-task":
        return ["templates/task.md"];
      case "copy-guides":
        return Object.keys(COPIED).map((name) => `templates/${name}`);
      default:
        return [];
    }
  });
}

async function loadShipped(view: View, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const shipped = new Map<string, string>();
  for (const name of names) shipped.set(name, await shippedText(view, name));
  return shipped;
}

async function loadTaken(
  view: View,
  actions: readonly Action[],
): Promise<ReadonlyMap<ProjectPath, readonly string[]>> {
  const folders = new Set<ProjectPath>();
  for (const { type } of actions) {
    if (type === "archive-task") folders.add(TASK_ARCHIVES);
    else if (type === "archive-review") folders.add(REVIEW_ARCHIVES);
    else if (type !== "load") folders.add(TASK_FOLDER);
  }
  const taken = new Map<ProjectPath, readonly string[]>();
  for (const folder of folders)
    taken.set(
      folder,
      (await view.list(folder)).map((entry) => entry.name),
    );
  return taken;
}

/** The YAML parser is loaded only if a task is archived. */
async function loadTaskName(
  texts: Texts,
  shipped: ReadonlyMap<string, string>,
  actions: readonly Action[],
): Promise<string> {
  if (!actions.some((action) => action.type === "archive-task")) return "";
  const { parseTaskName } = await import("./front-matter.ts");
  return parseTaskName(texts.task ?? "", shipped.get(templateOf("task")) ?? "");
}

async function loadGuides(view: View, actions: readonly Action[]): Promise<ReadonlySet<string>> {
  const existing = new Set<string>();
  if (!actions.some((action) => action.type === "copy-guides")) return existing;
  for (const [name, path] of Object.entries(COPIED)) if ((await view.read(path)) !== null) existing.add(name);
  return existing;
}
