/** The example project with a workflow of its own, copied to a temporary folder. */
import { cpSync } from "node:fs";
import { resolve } from "node:path";
import { type TemporaryProject, temporaryProject } from "./project.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/release-project");

export function releaseProject(environment: Readonly<Record<string, string>> = {}): TemporaryProject {
  const project = temporaryProject({ marked: false, environment });
  cpSync(EXAMPLE, project.root, { recursive: true });
  project.trust();
  return project;
}

export const DONE = "# Notes\n\n- [x] the docs are right\n";

/** With notes that are done, so that a submission passes. */
export function releaseReady(id = "1.2.0"): TemporaryProject {
  const project = releaseProject();
  project.write(`releases/${id}.md`, DONE);
  return project;
}

export function change(project: TemporaryProject, path: string, from: string, to: string): void {
  const text = project.read(path) ?? "";
  if (!text.includes(from)) throw new Error(`${path} has no ${JSON.stringify(from)}.`);
  project.write(path, text.replace(from, to));
}
