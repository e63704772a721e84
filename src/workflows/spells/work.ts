import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { ReviewFetch, ReviewMissing } from "../../core/ports/reviews.ts";
import type { Change } from "../../core/ports/store.ts";
import { type Action, actionsOf } from "./actions.ts";
import { renderComments, renderRetried } from "./comments-file.ts";
import type { Texts } from "./facts.ts";
import { renderFenced } from "./fence.ts";
import {
  COPIED,
  FILE_NAMES,
  type FileKey,
  freeName,
  pathOf,
  REFS_FILE,
  REVIEW_ARCHIVES,
  TASK_ARCHIVES,
  TASK_FOLDER,
} from "./files.ts";
import { appendReferences, appendRefs, type LinkFetch } from "./links.ts";
import type { SpellsRun } from "./load-run.ts";
import { type Cast, type Material, templateOf } from "./material.ts";
import { toSeconds } from "./state-file.ts";

/** The changes of a cast to the files, and the data for its reply. */
export interface Work {
  readonly changes: readonly Change[];
  /** The working files after the changes. */
  readonly texts: Texts;
  readonly refs: string;
  /** A file that was to be created exists again, and stays unchanged. */
  readonly kept: boolean;
  /** The folder of the new archive; empty: none was made. */
  readonly archive: ProjectPath | "";
  /** A person's files that are set aside: from → to. */
  readonly aside: readonly { readonly from: ProjectPath; readonly to: ProjectPath }[];
  /** The contents of the file that the rule loads, before the move. */
  readonly loaded: string | null;
  /**
   * Where the fetch of the review's comments stopped, for a retry. Absent: unchanged. Null: fetch everything.
   */
  readonly missing?: ReviewMissing | null;
}

const TASK_FILES: readonly FileKey[] = ["task", "results"];
const REVIEW_FILES: readonly FileKey[] = ["comments", "review_task", "review_results"];
const MAX_LOADED = 100_000;

/** Pure: computes the changes of the decided rule. */
export function planWork({ decision, material, run }: Cast, time: string): Work {
  const sheet = new Worksheet(run, material, time);
  for (const action of actionsOf(decision.rule.id)) sheet.take(action);
  return sheet.work;
}

/** Collects the changes, with the files as they will be after them. */
class Worksheet {
  readonly #material: Material;
  readonly #time: string;
  readonly #date: string;
  readonly #changes: Change[] = [];
  readonly #texts: Record<FileKey, string | null>;
  readonly #aside: { from: ProjectPath; to: ProjectPath }[] = [];
  readonly work: { -readonly [Key in keyof Work]: Work[Key] };

  constructor({ refs, texts }: SpellsRun, material: Material, time: string) {
    this.#material = material;
    this.#time = toSeconds(time);
    this.#date = this.#time.replaceAll(":", "-");
    this.#texts = { ...texts };
    const made = { changes: this.#changes, texts: this.#texts, aside: this.#aside };
    this.work = { ...made, refs, kept: false, archive: "", loaded: null };
  }

  take(action: Action): void {
    switch (action.type) {
      case "create":
        this.#create(action.file, this.#shipped(templateOf(action.file)), action.keep);
        break;
      case "create-plan":
        this.#create("plan", renderPlan(this.#shipped("templates/plan.md"), this.#texts.context ?? ""));
        break;
      case "copy-guides":
        this.#copyGuides();
        break;
      case "archive-task":
        this.#archiveFiles(TASK_FILES, TASK_ARCHIVES, `task-${this.#material.taskName}-${this.#date}`);
        break;
      case "archive-review":
        this.#archiveFiles(REVIEW_FILES, REVIEW_ARCHIVES, `pr-review-${this.#date}`);
        break;
      case "load":
        this.work.loaded = shorten(this.#texts[action.file] ?? "");
        break;
      case "fetch-links":
        this.#addLinks(action.file, this.#material.links ?? []);
        break;
      case "fetch-comments":
        this.#addComments(this.#material.review, action.keep);
        break;
    }
  }

  /** Creates a file; a person's text in its place stays (`keep`) or is set aside. */
  #create(file: FileKey, text: string, keep?: true): void {
    const before = this.#texts[file];
    if (before !== null && keep) {
      this.work.kept = true;
      return;
    }
    if (before === text) return;
    if (before !== null && before !== "" && !this.#isOurs(file, before)) this.#setAside(file);
    this.#write(file, text);
  }

  /** Whether the server wrote the text, and no person changed it. */
  #isOurs(file: FileKey, text: string): boolean {
    const template = this.#material.shipped.get(templateOf(file));
    return text.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n") === template;
  }

  #setAside(file: FileKey): void {
    const taken = this.#material.taken.get(TASK_FOLDER) ?? [];
    const name = freeName(`${FILE_NAMES[file]}.bak-${this.#date}`, taken);
    const move = { from: pathOf(file), to: projectPath(TASK_FOLDER, name) };
    this.#changes.push({ type: "move", ...move });
    this.#aside.push(move);
  }

  #write(file: FileKey, text: string): void {
    this.#changes.push({ type: "write", path: pathOf(file), text });
    this.#texts[file] = text;
  }

  #copyGuides(): void {
    for (const [name, path] of Object.entries(COPIED)) {
      if (this.#material.guides.has(name)) continue;
      this.#changes.push({ type: "write", path, text: this.#shipped(`templates/${name}`) });
    }
  }

  #archiveFiles(files: readonly FileKey[], folder: ProjectPath, name: string): void {
    const existing = files.filter((file) => this.#texts[file] !== null);
    if (existing.length === 0) return;
    const archive = projectPath(folder, freeName(name, this.#material.taken.get(folder) ?? []));
    for (const file of existing) {
      this.#changes.push({ type: "move", from: pathOf(file), to: projectPath(archive, FILE_NAMES[file]) });
      this.#texts[file] = null;
    }
    this.work.archive = archive;
  }

  #addLinks(file: "context" | "plan", links: readonly LinkFetch[]): void {
    const fetched = links.flatMap(({ url, fetch }) =>
      fetch.kind === "fetched" ? [{ url, markdown: fetch.markdown }] : [],
    );
    if (fetched.length === 0) return;
    this.#write(file, appendReferences(this.#texts[file] ?? "", fetched, this.#time));
    const urls = fetched.map(({ url }) => url);
    this.work.refs = appendRefs(this.work.refs, urls);
    this.#changes.push({ type: "write", path: REFS_FILE, text: this.work.refs });
  }

  #addComments(review: ReviewFetch | undefined, keep?: true): void {
    const before = this.#texts.comments;
    if (before !== null && keep) {
      this.work.kept = true;
      return;
    }
    if (review === undefined) return;
    if (review.kind === "fetched") this.work.missing = review.missing;
    // A new file contains nothing from an earlier fetch.
    else if (before === null) this.work.missing = null;
    const text =
      before === null ? renderComments(review, this.#time) : renderRetried(before, review, this.#time);
    if (text !== null) this.#write("comments", text);
  }

  #shipped(name: string): string {
    return this.#material.shipped.get(name) ?? "";
  }
}

function shorten(text: string): string {
  return text.length <= MAX_LOADED ? text : `${text.slice(0, MAX_LOADED)}\n(cut here: the file is longer)`;
}

/** The plan's template followed by the context, fenced so that no checkbox in it counts as a criterion. */
function renderPlan(template: string, context: string): string {
  const intro = "The context that this plan was made from, as it was then. Delete it once it is worked in.";
  return `${template.trimEnd()}\n\n## Context\n\n${intro}\n\n${renderFenced(context.replace(/^\uFEFF/, ""), "markdown")}\n`;
}
