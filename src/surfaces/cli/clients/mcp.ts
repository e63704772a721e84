import { PawlError } from "../../../core/error.ts";
import { loadWorkflow } from "../../../runtime/project.ts";
import type { Call, Host, Run } from "../line/command.ts";
import { endedBy } from "../line/interrupted.ts";
import { warnOfFaults } from "../line/warn.ts";
import { portNumber } from "../line/whole-number.ts";

/** Serves the named workflows, or all, until the client disconnects; over HTTP, until a signal ends it. */
export const mcp: Run = async (host, call) => {
  const names = (call.arguments.names ?? []) as readonly string[];
  const port = portOf(call);
  for (const name of names) await loadWorkflow(host.workflows, name);
  const project = await host.projects.open({ create: true });
  await warnOfFaults(host);
  // Sends notices that a killed process or quiet hours held back.
  project.notices.wake();
  const signal =
    port === null
      ? await host.servers.mcp(project, names)
      : await host.servers.mcpOverHttp(project, names, {
          port,
          onOpen: (served) => printAddress(host, served),
        });
  return endedBy(signal);
};

/** The HTTP port; null: serve over standard input and output. */
function portOf({ options }: Call): number | null {
  const { http, port } = options as { readonly http?: true; readonly port?: string };
  if (!http && port !== undefined)
    throw new PawlError("usage", "--port works only with --http.", "Add --http, or leave out --port.");
  if (!http) return null;
  return portNumber(port ?? 0);
}

/**
 * Prints to standard error, apart from the output; under --json, one line on standard output for a program.
 */
function printAddress({ terminal, json, name }: Host, { url, token, made }: Parameters<OnOpen>[0]): void {
  if (json) {
    terminal.out(`${JSON.stringify(made ? { url, token } : { url })}\n`);
    return;
  }
  const shown = made ? token : "TOKEN";
  const origin = made ? "made for this process" : "the one in $PAWL_MCP_TOKEN";
  terminal.err(
    `${name}: serving MCP on ${url}\n` +
      `Every request needs the header  Authorization: Bearer ${shown}  (${origin}).\n` +
      "Only programs on this machine can reach it. Press Ctrl-C to stop.\n",
  );
}

type OnOpen = Parameters<Host["servers"]["mcpOverHttp"]>[2]["onOpen"];
