import { type ProjectPath, projectPath } from "./path.ts";

/** A workflow in a file of the project, named after the file without its extension. */
export interface OwnFile {
  readonly name: string;
  readonly file: ProjectPath;
}

/** `path`: as in pawl.yaml, `./release.yaml`. */
export function ownFile(path: string): OwnFile {
  const file = projectPath(path.replace(/^\.\//, ""));
  return { file, name: (file.split("/").at(-1) ?? file).replace(/\.ya?ml$/, "") };
}
