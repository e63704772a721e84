/** What a person is told of while they look elsewhere. */

/** In the order in which a settings file lists them. */
export const NOTICE_KINDS = ["gate", "question", "blocked", "budget", "idle", "done"] as const;

/**
 * `gate`: a run waits for a person. `question`: an agent asks. `blocked`: a task cannot go on. `budget`: a task has spent
 * most of its budget. `idle`: the loop has nothing more to do, and tasks are open. `done`: it has, and none is.
 */
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** One reason to tell a person something. It holds until the project's state no longer has it. */
export interface Cause {
  /** Stays the same for as long as it is the same cause. */
  readonly key: string;
  readonly kind: NoticeKind;
  /** `workflow:id`; null: it is about the loop. */
  readonly run: string | null;
  /** In Pawl's words, one line. */
  readonly says: string;
  /** In the words of an agent or of a file, as they are; null: there are none. */
  readonly quote: string | null;
  /** What a person may run. */
  readonly command: string;
  /** ISO 8601. */
  readonly since: string;
}

/** The receivers in their order. */
export const RECEIVERS = ["desktop", "webhook", "slack", "discord", "command"] as const;
export type ReceiverName = (typeof RECEIVERS)[number];

/** What is sent. Texts are clean: no control characters, none that are invisible, and short. */
export interface Notice {
  /** Equal for each attempt to tell the same: a receiver can drop the second. */
  readonly id: string;
  /** `summary`: of several causes. `ended`: the receiver's settings are no longer those that a person agreed to. */
  readonly type: NoticeKind | "summary" | "ended" | "test";
  /** ISO 8601: since when. */
  readonly time: string;
  /** The name of the project's folder. */
  readonly project: string;
  /** One line. */
  readonly title: string;
  /** In Pawl's words, a line or more. */
  readonly text: string;
  /** Words of an agent or of a file. */
  readonly quote: string | null;
  readonly run: string | null;
  /** Who must act. */
  readonly acts: "person" | "nobody";
  readonly command: string | null;
  /** The address of the board on the project's machine, where one is running. */
  readonly board: string | null;
}
