import type { Socket } from "node:net";
import type { Caller } from "../../../core/event.ts";
import type { PageFiles } from "./page.ts";
import type { BoardPlace } from "./projects.ts";

/** What a board gets from the program around it. */
export interface BoardOptions {
  readonly places: readonly BoardPlace[];
  readonly files: PageFiles;
  /** 0: any free port. */
  readonly port: number;
  readonly readOnly: boolean;
  readonly version: string;
  /** The person at the board. */
  readonly caller: Caller;
  /** Whether the other end of a connection may talk to the board at all. */
  readonly admits: (socket: Socket) => boolean;
  readonly onError: (message: string) => void;
}
