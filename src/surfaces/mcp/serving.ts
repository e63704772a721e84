/** What answering the calls of one connection takes. */
import type {
  Resource as ListedResource,
  LoggingLevel,
  McpServer,
  RegisteredTool,
  RequestStateCodec,
} from "@modelcontextprotocol/server";
import type { Resource } from "../../runtime/module.ts";
import type { Project } from "../../runtime/project.ts";
import type { Runtime } from "../../runtime/run-transaction.ts";
import type { AppPorts } from "./app/ports.ts";
import type { Work } from "./work.ts";

export interface Serving {
  readonly project: Project;
  readonly runtime: Runtime;
  readonly server: McpServer;
  readonly codec: RequestStateCodec<Question>;
  readonly work: Work;
  /** Null: this program has no app for clients. */
  readonly app: AppPorts | null;
  /** In the order of the list. */
  readonly tools: Listed[];
  /** What the workflows offer for reading. */
  readonly listings: (() => Promise<readonly ListedResource[]>)[];
  /** The resource templates by their URIs. */
  readonly templates: Map<string, Resource>;
  /** The lowest level of log messages that a client of the 2025 protocol wants; null: it never asked. */
  logLevel: LoggingLevel | null;
}

export interface Listed {
  readonly name: string;
  readonly tool: RegisteredTool;
  /** `gate`: an app shows the review to which a call of it leads. `app`: the app alone calls it. */
  readonly audience: "model" | "gate" | "app";
}

/** The content of an open question's signed state. */
export interface Question {
  readonly tool: string;
  readonly input: string;
  readonly message: string;
  /** The person was led to the board: the answer is in the run. */
  readonly led?: true;
}
