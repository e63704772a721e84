/** How notices reach a receiver or the screen, and what is remembered of them. */
import type { Notice, ReceiverName } from "../notice.ts";

export interface Receiver {
  readonly name: ReceiverName;
  /**
   * Ends within seconds, whatever the receiver does. Throws `notice-unsent`; its message contains no address
   * and no secret.
   */
  send(notice: Notice): Promise<void>;
}

/** A receiver's notices, and whether they arrived. */
export interface ReceiverMemory {
  /** The key of each reported cause that still holds → the time of its notice. */
  readonly reported: Readonly<Record<string, string>>;
  /** When a notice last arrived; null: none did. */
  readonly sent: string | null;
  /** Why the last one did not arrive; null: it did. */
  readonly fault: { readonly time: string; readonly message: string } | null;
}

export type NoticeMemory = Readonly<Partial<Record<ReceiverName, ReceiverMemory>>>;

/** The loop's state when it came to rest. */
export interface LoopRest {
  readonly time: string;
  readonly done: number;
  readonly open: number;
  readonly blocked: readonly string[];
  readonly waiting: readonly string[];
}

/** State about notices that all processes of a project share, kept outside the project. */
export interface NoticeStore {
  /** Requests a search for notices to send. */
  ask(): void;
  /** Whether a search is requested. */
  isAsked(): boolean;
  /** Clears the request, right before the search. */
  takeAsked(): void;
  /** The loop came to rest, or (null) works again. Of loops that rest in the same state the first counts. */
  noteRest(rest: LoopRest | null): void;
  findRest(): LoopRest | null;
  load(): NoticeMemory;
  save(memory: NoticeMemory): void;
  /** One process searches and sends at a time. Null: another one does. Free as soon as its owner dies. */
  tryLock(): Promise<{ release(): void } | null>;
}
