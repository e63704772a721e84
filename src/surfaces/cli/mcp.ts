import { loadWorkflow } from "../../runtime/project.ts";
import type { Run } from "./command.ts";

/** Serves the named workflows, or all, until the client is gone. */
export const mcp: Run = async (host, call) => {
  const names = (call.arguments.names ?? []) as readonly string[];
  for (const name of names) await loadWorkflow(host.workflows, name);
  await host.serve(await host.project({ create: true }), names);
  return undefined;
};
