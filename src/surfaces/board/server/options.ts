import type { Caller } from "../../../core/event.ts";
import type { PageFiles } from "./page.ts";
import type { BoardPlace } from "./projects.ts";

/** The ports of a connection. */
export interface PeerPorts {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/** What the program provides to a board. */
export interface BoardOptions {
  readonly places: readonly BoardPlace[];
  readonly files: PageFiles;
  /** 0: any free port. */
  readonly port: number;
  readonly readOnly: boolean;
  /** The token with which a program may read the figures, and nothing else; null: only the page may. */
  readonly metricsToken: string | null;
  readonly version: string;
  /** The person at the board. */
  readonly caller: Caller;
  /** Whether the peer of a connection may use the board at all. */
  readonly admits: (socket: PeerPorts) => boolean;
  /** The agent whose process is the peer, as far as that is known; null: none. */
  readonly agentBehind: (socket: PeerPorts) => string | null;
  readonly onError: (message: string) => void;
}
