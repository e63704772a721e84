/** `pawl mcp --http` as a real child process. */
import type { TemporaryProject } from "./project.ts";
import { openServing, type Serving, type ServingOptions } from "./serving.ts";

export interface HttpServer extends Serving {
  readonly url: string;
  readonly token: string;
}

export async function openHttpServer(
  project: Pick<TemporaryProject, "root">,
  options: ServingOptions = {},
): Promise<HttpServer> {
  const { told, ...serving } = await openServing<{ readonly url: string; readonly token?: string }>(
    project,
    ["mcp", "--http"],
    options,
  );
  const { url, token = options.environment?.PAWL_MCP_TOKEN ?? "" } = told;
  return { url, token, ...serving };
}
