/** `pawl mcp`: the handshake first, then everything that is heavy. */
import { loadWorkflows, type Project } from "../../runtime/project.ts";
import { firstSignal } from "../ending-signals.ts";
import { aboutServer } from "./about.ts";
import type { AppPorts } from "./app/ports.ts";
import { answerHandshake, hearFirstLine } from "./handshake.ts";

export interface Ground {
  readonly version: string;
  readonly app: AppPorts | null;
}

/** Returns the signal that ended it; null: the client is gone. */
export async function serve(
  project: Project,
  names: readonly string[],
  { app, version }: Ground,
): Promise<NodeJS.Signals | null> {
  const modules = await loadWorkflows(project.workflows, names);
  const about = aboutServer(project.root, modules, version);
  const heard = hearFirstLine();
  // Before anybody gets an answer: a client may end the server at once.
  const stopped = firstSignal();
  const answered = answerHandshake(heard, about);
  const { serveStdin } = await import("./serve-stdin.ts");
  return serveStdin({ project, modules, about, app, heard, answered, stopped });
}
