/** `pawl mcp --http`: serves many clients of this machine, until a signal ends the process. */
import { randomBytes } from "node:crypto";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { PawlError } from "../../core/error.ts";
import { loadWorkflows, type Project } from "../../runtime/project.ts";
import { firstSignal } from "../ending-signals.ts";
import type { AppPorts } from "./app/ports.ts";
import { openWork } from "./connection.ts";
import { openFollower } from "./follow.ts";
import { type Http, openHttp } from "./http.ts";
import { declaredBy, openServers } from "./server.ts";
import { openBus } from "./wake.ts";

export interface HttpServing {
  readonly port: number;
  /** From the environment; absent: a new one is created. */
  readonly token: string | undefined;
  readonly version: string;
  readonly app: AppPorts | null;
  /** Called once, when clients may connect. `made`: the token was created for this process. */
  readonly onOpen: (served: { readonly url: string; readonly token: string; readonly made: boolean }) => void;
  readonly onError: (message: string) => void;
}

/** A token that fits into a header and is too long to guess. */
const TOKEN = /^[A-Za-z0-9._~+/-]{16,512}=*$/;

export async function serveHttp(
  project: Project,
  names: readonly string[],
  connection: HttpServing,
): Promise<NodeJS.Signals> {
  const { app, port, version, onOpen, onError } = connection;
  const token = connection.token ?? randomBytes(24).toString("base64url");
  if (!TOKEN.test(token))
    throw new PawlError(
      "usage",
      "$PAWL_MCP_TOKEN is not a valid token: expected at least 16 letters, digits or any of . _ ~ + / - without spaces.",
      "Set a longer one, or unset it to let Pawl make one.",
    );
  const modules = await loadWorkflows(project.workflows, names);
  const work = openWork(() => project.runtime.store.settle());
  const follower = openFollower(project);
  const makeServer = openServers({ project, modules, version, work, app, follower, over: "http" });
  const factory: McpServerFactory = async ({ era }) =>
    makeServer(era, await declaredBy(modules, project.runtime));
  const bus = openBus(modules, follower, project.runtime);
  const onerror = ({ message }: Error) => onError(message.split("\n")[0] ?? "");
  // A signal during the start ends it, too.
  const ended = firstSignal();
  const http = await listenHttp(port, () => openHttp({ factory, bus, port, token, onerror }));
  onOpen({ url: http.url, token, made: connection.token === undefined });
  const signal = await ended;
  await http.close(() => work.done());
  return signal;
}

async function listenHttp(port: number, open: () => Promise<Http>): Promise<Http> {
  try {
    return await open();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw cause;
    const why = code === "EADDRINUSE" ? "is taken" : "may not be used";
    throw new PawlError(
      "usage",
      `Port ${port} of 127.0.0.1 ${why}.`,
      "Choose another with --port; 0 takes any free port.",
    );
  }
}
