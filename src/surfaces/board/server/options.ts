import type { Caller } from "../../../core/event.ts";
import type { PageFiles } from "./page.ts";
import type { BoardPlace } from "./projects.ts";

/** Of a connection. */
export interface PeerPorts {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/** What a board gets from the program around it. */
export interface BoardOptions {
  readonly places: readonly BoardPlace[];
  readonly files: PageFiles;
  /** 0: any free port. */
  readonly port: number;
  readonly readOnly: boolean;
  /** What a program shows that may read the figures, and nothing else; null: only the page may. */
  readonly metricsToken: string | null;
  readonly version: string;
  /** The person at the board. */
  readonly caller: Caller;
  /** Whether the other end of a connection may talk to the board at all. */
  readonly admits: (socket: PeerPorts) => boolean;
  /** The agent whose process is at the other end, as far as that can be known; null: none. */
  readonly agentBehind: (socket: PeerPorts) => string | null;
  readonly onError: (message: string) => void;
}
