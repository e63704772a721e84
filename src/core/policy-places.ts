/** Where in the project's YAML files a change of a policy stands, so that whoever is told of it can look. */
import { type ProjectPath, projectPath } from "./path.ts";
import type { PolicyChange } from "./policy.ts";
import type { FindLine } from "./yaml-line.ts";

/** A value in a file of the project. */
export interface PolicySource {
  readonly file: string;
  /** Its names from the outside in, joined by dots; an entry of a list goes by its `id`. */
  readonly path: string;
  /** Under which key an entry of a list holds more of its like. */
  readonly nested?: string;
}

/** Where a path of a policy may stand; the first file counts most. */
export type PolicySources = (path: string) => readonly PolicySource[];

export const settingSources: PolicySources = (path) => [
  ...(path.startsWith("gates.") ? levelSources(path) : [{ file: "pawl.yaml", path }]),
  ...(path.startsWith("alfred.") ? [{ file: ".alfred/config.yml", path: path.slice("alfred.".length) }] : []),
];

/** Where what a gate asks may stand: its own entry, or the one for all of them. */
export const levelSources: PolicySources = (path) => {
  const [workflow = "", name = ""] = path.slice("gates.".length).split(/\.(.*)/s);
  return [name, workflow, "default"].map((entry) => ({ file: "pawl.yaml", path: `gates.${entry}` }));
};

/** The changes, each with its file and line where it has one. Nothing is read where there is no change. */
export async function placed(
  changes: readonly PolicyChange[],
  sourcesOf: PolicySources,
  read: (file: ProjectPath) => Promise<string | null>,
): Promise<readonly PolicyChange[]> {
  if (changes.length === 0) return changes;
  const { linesOf } = await import("./yaml-line.ts");
  const files = new Map<string, FindLine | null>();
  const result: PolicyChange[] = [];
  for (const change of changes) {
    const sources = sourcesOf(change.path);
    for (const { file } of sources) {
      if (files.has(file)) continue;
      const text = await read(projectPath(file));
      files.set(file, text === null ? null : linesOf(text));
    }
    const place = nearest(sources, files);
    result.push(place === null ? change : { ...change, place });
  }
  return result;
}

/** Of a value that is gone, the place of what held it; the first file counts most. */
function nearest(sources: readonly PolicySource[], files: ReadonlyMap<string, FindLine | null>) {
  const [found] = sources
    .flatMap(({ file, nested, path }) => {
      const line = files.get(file)?.(path, nested);
      return line ? [{ place: `${file}:${line.line}`, missing: line.missing }] : [];
    })
    .sort((one, other) => one.missing - other.missing);
  return found?.place ?? null;
}
