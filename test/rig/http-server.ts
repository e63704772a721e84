/** `pawl mcp --http` as a real child process. */
import type { TemporaryProject } from "./project.ts";
import { openServerProcess, type ServerProcess, type ServerProcessOptions } from "./server-process.ts";

export interface HttpServer extends ServerProcess {
  readonly url: string;
  readonly token: string;
}

export async function openHttpServer(
  project: Pick<TemporaryProject, "root">,
  options: ServerProcessOptions = {},
): Promise<HttpServer> {
  const { told, ...serving } = await openServerProcess<{ readonly url: string; readonly token?: string }>(
    project,
    ["mcp", "--http"],
    options,
  );
  const { url, token = options.environment?.PAWL_MCP_TOKEN ?? "" } = told;
  return { url, token, ...serving };
}
