import type { Caller, DeviceEvent } from "../../../core/event.ts";
import type { Devices } from "../../../core/ports/devices.ts";
import type { PageFiles } from "./page.ts";
import type { ProjectSource } from "./projects.ts";

/** The ends of a connection. */
export interface PeerPorts {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
  readonly remoteAddress?: string | undefined;
}

/** Where the board is served to other devices. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The person's own certificate; null: plain http, which only loopback gets. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  /** The origin under which devices reach it (`https://pawl.example`); null: that of the host and the port. */
  readonly origin: string | null;
  readonly devices: Devices;
  /** Called with each entrance and refusal. */
  readonly onSeen: (device: DeviceEvent) => void;
}

/** What the program provides to a board. */
export interface BoardOptions {
  readonly places: readonly ProjectSource[];
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
  /** Absent: only this machine's browsers use it. */
  readonly listen?: ListenOptions;
}
