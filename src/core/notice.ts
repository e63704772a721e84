/** Notices to a person who is not watching. */

/** In the order of a settings file. */
export const NOTICE_KINDS = ["gate", "question", "blocked", "budget", "idle", "done"] as const;

/**
 * `gate`: a run waits for a person. `question`: an agent asks. `blocked`: a task cannot continue. `budget`: a
 * task has spent most of its budget. `idle`: the loop has nothing to do, and tasks are open. `done`: the loop
 * has nothing to do, and no task is open.
 */
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** A reason for a notice. It holds until the project's state no longer has it. */
export interface Cause {
  /** Stays the same as long as the cause does. */
  readonly key: string;
  readonly kind: NoticeKind;
  /** `workflow:id`; null: it is about the loop. */
  readonly run: string | null;
  /** In Pawl's words, one line. */
  readonly says: string;
  /** Unchanged words of an agent or of a file; null: there are none. */
  readonly quote: string | null;
  /** A command for the person. */
  readonly command: string;
  /** ISO 8601. */
  readonly since: string;
}

/** The receivers in order. */
export const RECEIVERS = ["desktop", "webhook", "slack", "discord", "command"] as const;
export type ReceiverName = (typeof RECEIVERS)[number];

/** A message to a receiver. Texts are clean: no control characters, no invisible ones, and short. */
export interface Notice {
  /** Equal for repeated attempts: a receiver can drop the second. */
  readonly id: string;
  /**
   * `summary`: of several causes. `ended`: the receiver's settings differ from those with a person's consent.
   */
  readonly type: NoticeKind | "summary" | "ended" | "test";
  /** The beginning of the cause, ISO 8601. */
  readonly time: string;
  /** The name of the project's folder. */
  readonly project: string;
  /** One line. */
  readonly title: string;
  /** In Pawl's words, one or more lines. */
  readonly text: string;
  /** Words of an agent or of a file. */
  readonly quote: string | null;
  readonly run: string | null;
  /** Whether a person must act. */
  readonly acts: "person" | "nobody";
  readonly command: string | null;
  /** The address on a running board on the project's machine: of the run's page, if it is about one. */
  readonly board: string | null;
}
