/**
 * Everything that a person needs to decide at one gate, as plain data: the terminal, the board and an app
 * inside a client show the same. Texts of agents and of files are unchanged: surfaces must clean them.
 */
import type { Strength } from "../../core/strength.ts";
import type { AnsweredPoint, Point } from "./points.ts";

export interface Review extends ReviewFacts {
  /** The first screen, with the words of all surfaces. */
  readonly brief: Brief;
}

export interface Brief {
  readonly chips: readonly Chip[];
  readonly criteria: readonly BriefCriterion[];
  /** The agent's own words. */
  readonly said: readonly Statement[];
  /** The requests of the last rejection, and what became of each. */
  readonly last: readonly Request[];
  /** `13 files: 5 to read (3 min), 8 folded (2 images)`; null: this step changes no files. */
  readonly files: string | null;
  /** The reasons to ask once more before an approval counts. */
  readonly against: readonly string[];
}

/** One of the task's criteria, and what speaks for it. */
export interface BriefCriterion {
  readonly text: string;
  /** How its check ended, in words; `warn`: it has no check. */
  readonly check: Pick<Chip, "tone" | "words">;
  /** What names it; empty: nothing does. */
  readonly speaks: readonly string[];
}

export interface Chip {
  /** `bad` and `open` ask once more; `warn` is to be read first. */
  readonly tone: "bad" | "open" | "warn" | "good";
  readonly words: string;
  /** The part of the review, or the file (`file PATH`), that it leads to. */
  readonly place: string;
}

export interface Statement {
  readonly title: string;
  readonly text: string;
  /** What Pawl found instead; null: nothing speaks against it. */
  readonly differs: string | null;
}

export interface Request {
  readonly text: string;
  /** `dealt`: its place has changed; `open`: it has not; `unknown`: it names none. */
  readonly is: "dealt" | "open" | "unknown";
  /** `ci.yml put back` */
  readonly became: string;
}

export interface ReviewFacts {
  /** `workflow:id` */
  readonly run: string;
  readonly title: string;
  /** In the settings' form: `alfred.plan_task`. */
  readonly gate: string;
  /** The subject, in a few words: `the plan`. */
  readonly subject: string;
  /** Identifies exactly what is judged. A verdict on another version is refused. */
  readonly version: string;
  /** When it began to wait; ISO 8601. */
  readonly since: string | null;
  /** 1 for the first hand-in. */
  readonly round: number;
  /** One sentence that can be answered by yes or no. */
  readonly question: string;
  /** The result of each verdict by the table, in words. */
  readonly leads: {
    readonly approve: string;
    readonly reject: string;
    /** Another way to reject, in words: the task stays blocked. Absent: there is none. */
    readonly block?: string;
  };
  /** Verdicts that the table lacks here. Absent: it has both. */
  readonly lacks?: readonly ("approve" | "reject")[];
  /** More that the person must know; one sentence each. */
  readonly facts: readonly string[];
  /** The task's acceptance criteria. Absent: it has none. */
  readonly criteria?: readonly ReviewCriterion[];
  /** The plan's items that are said to be done, with their words. Absent: there is no plan. */
  readonly deeds?: readonly { readonly id: string; readonly words: string }[];
  readonly claims: readonly Claim[];
  /** Three to seven, before any line of code; empty if the artifact makes none. */
  readonly choices: readonly Choice[];
  /** The artifact; null: the gate is about the work alone. */
  readonly artifact: { readonly name: string; readonly value: unknown; readonly sha256: string } | null;
  /** The changed files; null: this step changes no files. */
  readonly changes: ReviewChanges | null;
  readonly checks: readonly ReviewCheck[];
  readonly cost: ReviewCost;
  readonly size: ReviewSize;
  /** Earlier verdicts at this gate, the oldest first. */
  readonly history: readonly Round[];
  /** The points of the last rejection, and whether each was addressed. */
  readonly points: readonly AnsweredPoint[];
  /** Texts of agents, or of files that they wrote: unchecked. */
  readonly notes: readonly { readonly by: string; readonly text: string }[];
  /** The required strength of a verdict: `any`, `terminal`, `signed`, `touch`. */
  readonly level: string;
}

export interface ReviewCriterion {
  readonly text: string;
  /** Null: it has none, so a person judges it. */
  readonly check: {
    readonly command: string;
    /** `empty`: it ran no test; `not-run`: not on the work that is judged. */
    readonly state: "passed" | "failed" | "empty" | "not-run";
  } | null;
}

/** An agent's claim, beside Pawl's own finding. */
export interface Claim {
  /** `git`, `files`, `check test` */
  readonly about: string;
  /** The agent's claim; absent: there is none. */
  readonly claim?: string;
  readonly found: string;
  /** `unknown`: it was not checked. */
  readonly verdict: "agrees" | "differs" | "unknown" | "running";
}

/** A decision in the artifact. */
export interface Choice {
  readonly kind: "strategy" | "interface" | "dependency" | "migration" | "risk" | "scope" | "other";
  /** The artifact's field: `risk_analysis`. */
  readonly field: string;
  /** `Risks` */
  readonly title: string;
  /** One text for each item. */
  readonly words: readonly string[];
  /** Compared with the last verdict: a person reads `new` and `changed` first. */
  readonly since: "new" | "changed" | "same" | null;
}

export type ReviewChanges =
  | { readonly kind: "unavailable"; readonly reason: string }
  | {
      readonly kind: "changes";
      /** The repository of the paths, by its name in the project; null: the project's own. */
      readonly repo: string | null;
      /** The base branch, by a name for people. */
      readonly base: string;
      /** Objects of git, for the differences themselves. */
      readonly from: string;
      readonly to: string;
      /** In order of danger. */
      readonly files: readonly ReviewFile[];
      /** Files that the plan names, and that are as before. */
      readonly untouched: readonly string[];
      /** The object that was judged last; null: there is none, or git no longer has it. */
      readonly lastJudged: string | null;
      /**
       * The differences from that, with their own lines, including reverted changes. Empty if there was no
       * verdict.
       */
      readonly since: readonly ReviewFile[];
    };

export interface ReviewFile {
  readonly path: string;
  /** Its name before; absent: it was not renamed. */
  readonly was?: string;
  /** Null for binary and for new, untracked files. */
  readonly added: number | null;
  readonly deleted: number | null;
  /**
   * Why it is in this place: decides how work is judged; belongs to this item of the plan; no item names it;
   * there is no plan of files; needs no reading.
   */
  readonly group: "process" | "plan" | "outside-plan" | "other" | "folded";
  /** The item of the plan that names it (`S-01`), or the kind of process file (`tests`); null: neither. */
  readonly item: string | null;
  /** There is a plan, and it does not name the file. */
  readonly isOutside: boolean;
  /** Why it needs no reading, in a few words; null: it does. */
  readonly folded: string | null;
  /** Bytes of both pictures. Absent: it is no image. */
  readonly image?: { readonly before: number | null; readonly after: number | null };
  /** Where a symbolic link leads, or the commits of a submodule, in words. Absent: it is neither. */
  readonly leads?: string;
  /** The line by which fewer faults are found. Absent: none was seen. */
  readonly weakens?: string;
  /** Whether it differs from what was judged last; null: there was no verdict. */
  readonly isNew: boolean | null;
}

export interface ReviewCheck {
  readonly name: string;
  /** Null: not known. */
  readonly command: string | null;
  readonly state: "passed" | "failed" | "running" | "unknown";
  /** According to its output, it ran no test. */
  readonly empty?: true;
  readonly exit: number | null;
  readonly duration_ms: number | null;
  /** The end of its output. */
  readonly tail: string;
  /** The file with the whole output, from the project's root; null: only the end was kept. */
  readonly log: string | null;
  /** The tree or commit that it ran on; null: not known. */
  readonly on: string | null;
}

/** Null: not known. */
export interface ReviewCost {
  readonly usd: number | null;
  readonly tokens: number | null;
  readonly minutes: number | null;
  /** Hand-ins of the same artifact, or attempts of the task. */
  readonly tries: number | null;
  readonly steps: readonly {
    readonly name: string;
    readonly usd: number | null;
    readonly tokens: number | null;
    readonly minutes: number | null;
    readonly tries: number | null;
  }[];
}

export interface ReviewSize {
  readonly files: number;
  /** Those that are not folded. */
  readonly toRead: number;
  /** Added and deleted. */
  readonly lines: number;
  /** The estimated time to read what is not folded. */
  readonly minutes: number;
}

export interface Round {
  /** ISO 8601 */
  readonly time: string;
  readonly approved: boolean;
  /** `ai`, `human` */
  readonly stage: string;
  readonly by: string | null;
  /** The database's login that brought it; absent: none did, or it is not known. */
  readonly login?: string | undefined;
  readonly strength: Strength | null;
  /** Without its points. */
  readonly notes: string;
  readonly points: readonly Point[];
  /** The sha-256 of the judged artifact. */
  readonly artifact: string | null;
  /** The judged tree or commit. */
  readonly work: string | null;
}
