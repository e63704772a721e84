/** Reviews for pages: what a person decides on, and the differences. */
import { BoundedMap } from "../../core/bounded-map.ts";
import { PawlError } from "../../core/error.ts";
import type { Project } from "../project.ts";
import { found } from "../transaction/out-of-scope-edits.ts";
import { gitOf } from "./git-of.ts";
import { differencesOf, reviewOf } from "./load.ts";
import type { Review } from "./model.ts";

/** Null: the run waits for no verdict. */
export interface ReviewPage {
  readonly review: Review | null;
  /** Out-of-scope edits, in words; an approval accepts them. Null: none. */
  readonly strayed: string | null;
  /** Why no verdict of this page counts; absent: it counts. */
  readonly closed?: Pick<PawlError, "code" | "fix" | "message">;
}

/** One file's difference, in git's format. */
export interface FileDiff {
  readonly path: string;
  /** A unified diff; empty: there is no difference. */
  readonly patch: string;
  /** Bytes left out at the end; null: an unknown number. */
  readonly leftOut: number | null;
  readonly isBinary: boolean;
  /**
   * By line, from the file's first; empty for lines outside the patch. Null: too large, or an unknown
   * language.
   */
  readonly colours: { readonly before: readonly Colours[]; readonly after: readonly Colours[] } | null;
}

/**
 * A line's parts: length in UTF-16 units, and the class of its colour: `comment`, `string`, `number`,
 * `keyword`, `function`, `type`, `tag`, `attribute`; empty: none.
 */
export type Colours = readonly (readonly [number, string])[];

/** Colours a difference by the language of the file's name. */
export type Colouring = (path: string, patch: string) => Promise<FileDiff["colours"]>;

/** Maximum bytes of one file's difference. */
const MAX_BYTES = 1024 * 1024;
/** Milliseconds for which the review made last of a run serves for its differences. */
const FRESH = 60_000;
const MAX_KEPT = 16;
const MAX_PICTURE = 8 * 1024 * 1024;

interface PictureWanted {
  readonly path: string;
  readonly side: "before" | "after";
}

export function openReviews(coloursOf: Colouring) {
  const made = new BoundedMap<string, { readonly review: Review | null; readonly at: number }>(MAX_KEPT);
  const keyOf = ({ root }: Project, run: string) => JSON.stringify([root, run]);
  const make = async (project: Project, run: string, anyState = true) => {
    const review = await reviewOf(project, run, anyState);
    made.set(keyOf(project, run), { review, at: project.runtime.now().getTime() });
    return review;
  };
  const recent = async (project: Project, run: string) => {
    const cached = made.get(keyOf(project, run));
    const isFresh = cached?.review && project.runtime.now().getTime() - cached.at < FRESH;
    return isFresh ? cached.review : make(project, run);
  };
  return {
    async page(project: Project, run: string): Promise<ReviewPage> {
      const review = await make(project, run, false);
      const strayed = review && (await project.runtime.scopeWatch?.find(review.run));
      return { review, strayed: strayed ? found(strayed) : null };
    },
    /** The same model of the work, in any state of the run; null: nothing is known of its work. */
    work: (project: Project, run: string) => make(project, run),
    /** A picture that the review names, before or after; null: there is none. */
    async image(project: Project, run: string, { path, side }: PictureWanted): Promise<Uint8Array | null> {
      const changes = (await recent(project, run))?.changes;
      if (changes?.kind !== "changes") return null;
      const isNamed = [...changes.files, ...changes.since].some(
        ({ image, path: own, was = own }) => image !== undefined && path === (side === "before" ? was : own),
      );
      const git = isNamed ? await gitOf(project.runtime.outside, changes.repo) : null;
      if (git === null || "reason" in git) return null;
      const object = side === "before" ? changes.from : changes.to;
      return (await git.blob?.({ object, path, most: MAX_PICTURE })) ?? null;
    },
    async diff(
      project: Project,
      run: string,
      { path, ...wanted }: { readonly path: string; readonly since: boolean; readonly context?: number },
    ): Promise<FileDiff> {
      const review = await recent(project, run);
      if (review === null) throw missingFileError(run, path);
      const { changes } = review;
      const differences = await differencesOf(project, { changes }, { ...wanted, path, bytes: MAX_BYTES });
      if (differences.kind === "unavailable")
        throw new PawlError(
          "git-failed",
          `git shows no differences of ${run}: ${differences.reason}.`,
          "Look at the files in the project's folder.",
        );
      const [file] = differences.files;
      const listed = changes?.kind === "changes" ? [...changes.files, ...changes.since] : [];
      const isListed = listed.some((each) => each.path === path);
      if (!file && !isListed) throw missingFileError(run, path);
      const { isBinary = false, leftOut = 0, text = "" } = file ?? {};
      return { path, patch: text, leftOut, isBinary, colours: isBinary ? null : await coloursOf(path, text) };
    },
  };
}

function missingFileError(run: string, path: string): PawlError {
  return new PawlError(
    "run-missing",
    `The review of ${run} has no file ${JSON.stringify(path)}.`,
    "Load the review again: it names the files that it is about.",
  );
}
