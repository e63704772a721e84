/** Finds the place of a policy change in the project's YAML files, for its reader. */
import { type ProjectPath, projectPath } from "./path.ts";
import type { PolicyChange } from "./policy.ts";
import type { FindLine } from "./yaml/yaml-line.ts";

/** A value in a file of the project. */
interface PolicySource {
  readonly file: string;
  /** The keys from the outside in, joined by dots. An entry of a list goes by its `id`. Null: the whole file. */
  readonly path: string | null;
  /** The key under which an entry of a list holds more entries of its kind. */
  readonly nested?: string;
}

/** The places where a path of a policy may be set; the first file counts most. */
export type PolicySources = (path: string) => readonly PolicySource[];

export const settingSources: PolicySources = (path) => [
  ...(path.startsWith("gates.") ? levelSources(path) : [{ file: "pawl.yaml", path }]),
  ...(path.startsWith("alfred.") ? [{ file: ".alfred/config.yml", path: path.slice("alfred.".length) }] : []),
];

/** Where a gate's level may be set: at its own entry, or at one that covers several gates. */
export const levelSources: PolicySources = (path) => {
  const [workflow = "", name = ""] = path.slice("gates.".length).split(/\.(.*)/s);
  return [name, workflow, "default"].map((entry) => ({ file: "pawl.yaml", path: `gates.${entry}` }));
};

/** Adds file and line to each change that has them. Reads nothing if there are no changes. */
export async function placed(
  changes: readonly PolicyChange[],
  sourcesOf: PolicySources,
  read: (file: ProjectPath) => Promise<string | null>,
): Promise<readonly PolicyChange[]> {
  if (changes.length === 0) return changes;
  const { linesOf } = await import("./yaml/yaml-line.ts");
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

/** For a missing value, the place of its parent. The first file counts most. */
function nearest(sources: readonly PolicySource[], files: ReadonlyMap<string, FindLine | null>) {
  const [place] = sources
    .flatMap(({ file, nested, path }) => {
      if (path === null) return files.get(file) ? [{ place: file, missing: 0 }] : [];
      const line = files.get(file)?.(path, nested);
      return line ? [{ place: `${file}:${line.line}`, missing: line.missing }] : [];
    })
    .sort((one, other) => one.missing - other.missing);
  return place?.place ?? null;
}
