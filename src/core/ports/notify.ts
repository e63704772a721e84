/** How notices leave the machine or reach its screen, and what is remembered of them. */
import type { Notice, ReceiverName } from "../notice.ts";

export interface Receiver {
  readonly name: ReceiverName;
  /**
   * Ends within seconds, whatever the receiver does. Throws `notice-unsent`; its words contain no address and no secret.
   */
  send(notice: Notice): Promise<void>;
}

/** What a receiver was told, and how it went. */
export interface ReceiverMemory {
  /** The key of each cause that it was told of and that still holds → when. */
  readonly told: Readonly<Record<string, string>>;
  /** When a notice last arrived; null: none did. */
  readonly sent: string | null;
  /** Why the last one did not arrive; null: it did. */
  readonly fault: { readonly time: string; readonly message: string } | null;
}

export type NoticeMemory = Readonly<Partial<Record<ReceiverName, ReceiverMemory>>>;

/** How the loop stood when it came to rest. */
export interface LoopRest {
  readonly time: string;
  readonly done: number;
  readonly open: number;
  readonly blocked: readonly string[];
  readonly waiting: readonly string[];
}

/** What all processes of a project share about its notices, kept outside the project. */
export interface NoticePlace {
  /** Notes that somebody should look for what to tell. */
  ask(): void;
  /** Whether somebody asked. */
  isAsked(): boolean;
  /** Takes the wish back, right before the look. */
  takeAsked(): void;
  /** The loop came to rest, or (null) works again. Of loops that rest at the same standing the first counts. */
  noteRest(rest: LoopRest | null): void;
  findRest(): LoopRest | null;
  load(): NoticeMemory;
  save(memory: NoticeMemory): void;
  /** One process looks and sends at a time. Null: another one does. Free at once when its owner dies. */
  tryLock(): Promise<{ release(): void } | null>;
}
