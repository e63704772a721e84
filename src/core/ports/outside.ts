/** Everything outside the project's files, as a workflow's `observe` sees it. */
import type { Checks } from "./checks.ts";
import type { Files } from "./files.ts";
import type { Git } from "./git.ts";
import type { Leases } from "./leases.ts";
import type { Policies } from "./policies.ts";
import type { References } from "./references.ts";
import type { Reviews } from "./reviews.ts";
import type { Signatures } from "./signatures.ts";
import type { Trackers } from "./trackers.ts";
import type { Workers } from "./workers.ts";

/** Each member is loaded only when used. */
export interface Outside {
  readonly git: Git;
  readonly files: Files;
  readonly checks: Checks;
  /** Absent: there are no leases. */
  readonly leases?: Leases;
  /** Absent: no other machine works on the project. */
  readonly workers?: Pick<Workers, "list" | "atWork" | "spentToday" | "logins">;
  /** Absent: the present configuration governs every run. */
  readonly policies?: Policies;
  readonly trackers?: Trackers;
  /** Absent: none is configured. */
  readonly references?: References;
  readonly reviews?: Reviews;
  /** Absent: verdicts are not signed. */
  readonly signatures?: Signatures;
}
