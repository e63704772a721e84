import { type ProjectPath, projectPath } from "../../core/path.ts";

/** A workflow of the project's own, by its file: it has the file's name without the extension. */
export interface OwnFile {
  readonly name: string;
  readonly file: ProjectPath;
}

/** `path` as pawl.yaml writes it: `./release.yaml`. */
export function ownFile(path: string): OwnFile {
  const file = projectPath(path.replace(/^\.\//, ""));
  return { file, name: (file.split("/").at(-1) ?? file).replace(/\.ya?ml$/, "") };
}
