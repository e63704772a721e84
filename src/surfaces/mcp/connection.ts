/** What is needed to answer the calls of one connection. */
import type {
  Resource as ListedResource,
  LoggingLevel,
  McpServer,
  RegisteredTool,
  RequestStateCodec,
} from "@modelcontextprotocol/server";
import type { Resource } from "../../runtime/module.ts";
import type { Project } from "../../runtime/project.ts";
import type { Runtime } from "../../runtime/transaction/run-transaction.ts";
import type { AppPorts } from "./app/ports.ts";

export interface Connection {
  readonly project: Project;
  readonly runtime: Runtime;
  readonly server: McpServer;
  readonly codec: RequestStateCodec<Question>;
  readonly work: Work;
  /** Null: this program has no app for clients. */
  readonly app: AppPorts | null;
  /** In the order of the list. */
  readonly tools: Listed[];
  /** Lists the workflows' resources. */
  readonly listings: (() => Promise<readonly ListedResource[]>)[];
  /** The resource templates by their URIs. */
  readonly templates: Map<string, Resource>;
  /**
   * The lowest level of log messages that a client of the 2025 protocol requested; null: it requested none.
   */
  logLevel: LoggingLevel | null;
}

export interface Listed {
  readonly name: string;
  readonly tool: RegisteredTool;
  /** `gate`: a call of it may lead to a review, which an app shows. `app`: only the app calls it. */
  readonly audience: "model" | "gate" | "app";
}

/** The content of an open question's signed state. */
export interface Question {
  readonly tool: string;
  readonly input: string;
  readonly message: string;
  /** The person was sent to the board, so the answer is in the run. */
  readonly led?: true;
}

/** The active calls: the process waits for them before it ends, and settles the store when there are none. */
export interface Work {
  /** Runs a call. The store is settled once no call has been active for a moment. */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Resolves once no call is active. */
  done(): Promise<void>;
}

const QUIET = 200;

export function openWork(settle: () => Promise<void>): Work {
  const under = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  return {
    async run(call) {
      clearTimeout(timer);
      const running = call();
      under.add(running);
      try {
        return await running;
      } finally {
        under.delete(running);
        // Settling is never needed for correctness: the next start does what this one could not.
        if (under.size === 0) timer = setTimeout(() => void settle().catch(() => {}), QUIET).unref();
      }
    },
    async done() {
      do {
        // A request that has just been read has not begun yet.
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.allSettled(under);
      } while (under.size > 0);
      clearTimeout(timer);
    },
  };
}
