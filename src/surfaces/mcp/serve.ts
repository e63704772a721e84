/** `pawl mcp`: the handshake first, then everything that is heavy. */
import { loadWorkflows, type Project } from "../../runtime/project.ts";
import { aboutServer } from "./about.ts";
import type { AppPorts } from "./app/ports.ts";
import { answerHandshake, hearFirstLine } from "./handshake.ts";

export interface Ground {
  readonly version: string;
  readonly app: AppPorts | null;
}

export async function serve(
  project: Project,
  names: readonly string[],
  { app, version }: Ground,
): Promise<void> {
  const modules = await loadWorkflows(project.workflows, names);
  const about = aboutServer(project.root, modules, version);
  const heard = hearFirstLine();
  // Before anybody gets an answer: a client may end the server at once.
  const stopped = Promise.race([signalled("SIGTERM"), signalled("SIGINT"), signalled("SIGHUP")]);
  const answered = answerHandshake(heard, about);
  const { serveStdin } = await import("./serve-stdin.ts");
  await serveStdin({ project, modules, about, app, heard, answered, stopped });
}

function signalled(signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => process.once(signal, () => resolve()));
}
