/** The parts of a mirror's documents, as they come: where one part has changed, nobody looks at the others. */
import { isInParts, isPart, joined, type Kept, keptParts, type Part, partsFolder } from "./parts.ts";

export interface KeptParts {
  /** Null: the document is not in parts. */
  of(path: string): readonly Part[] | null;
  /** The document's text, whether it is in parts or not; null: there is none. */
  text(path: string): string | null;
  /** What is kept at this path has changed; null: it is gone. */
  change(path: string, text: string | null): void;
  clear(): void;
}

interface Known {
  readonly folder: string;
  readonly parts: Part[];
  /** Where in the list each name is. */
  readonly places: ReadonlyMap<string, number>;
  /** Null: not put together since the last change. */
  whole: string | null;
}

export function openKeptParts(kept: Kept): KeptParts {
  const known = new Map<string, Known>();
  /** Which document has its parts in the folder. */
  const owners = new Map<string, string>();

  const forget = (path: string) => {
    const found = known.get(path);
    if (found === undefined) return;
    known.delete(path);
    owners.delete(found.folder);
  };
  const look = (path: string): Known | null => {
    const found = known.get(path);
    if (found !== undefined) return found;
    if (!isInParts(path, kept)) return null;
    const parts = [...(keptParts(path, kept) ?? [])];
    const places = new Map(parts.map(([name], at) => [name, at]));
    const fresh = { folder: partsFolder(path), parts, places, whole: null };
    known.set(path, fresh);
    owners.set(fresh.folder, path);
    return fresh;
  };
  return {
    of: (path) => look(path)?.parts ?? null,
    text(path) {
      const found = look(path);
      if (found === null) return kept(path);
      found.whole ??= joined(found.parts);
      return found.whole;
    },
    change(path, text) {
      if (!isPart(path)) return forget(path);
      const slash = path.lastIndexOf("/");
      const name = path.slice(slash + 1);
      const owner = owners.get(path.slice(0, slash)) ?? "";
      const found = known.get(owner);
      const at = found?.places.get(name);
      if (found === undefined) return;
      if (text === null || at === undefined) return forget(owner);
      found.parts[at] = [name, text];
      found.whole = null;
    },
    clear() {
      known.clear();
      owners.clear();
    },
  };
}
