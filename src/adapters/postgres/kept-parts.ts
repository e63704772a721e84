/** The parts of a mirror's documents, as they come: where one part has changed, nobody looks at the others. */
import { type LongText, longText, type Text } from "../../core/long-text.ts";
import { isInParts, isPart, type Kept, keptParts, type Part, partsFolder } from "./parts.ts";

export interface KeptParts {
  /** Null: the document is not in parts. */
  of(path: string): readonly Part[] | null;
  /** The document's text, whether it is in parts or not; null: there is none. The same object, as long as nothing changes. */
  text(path: string): Text | null;
  /** What is kept at this path has changed; null: it is gone. */
  change(path: string, text: string | null): void;
  clear(): void;
}

interface Known {
  readonly folder: string;
  readonly parts: Part[];
  readonly texts: string[];
  /** Where in the list each name is. */
  readonly places: ReadonlyMap<string, number>;
  /** As it was last asked for; null: never. */
  text: LongText | null;
  hasChanged: boolean;
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
    const texts = parts.map(([, text]) => text);
    const fresh = { folder: partsFolder(path), parts, texts, places, text: null, hasChanged: false };
    known.set(path, fresh);
    owners.set(fresh.folder, path);
    return fresh;
  };
  return {
    of: (path) => look(path)?.parts ?? null,
    text(path) {
      const found = look(path);
      return found === null ? kept(path) : textOf(found);
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
      found.texts[at] = text;
      found.hasChanged = true;
    },
    clear() {
      known.clear();
      owners.clear();
    },
  };
}

function textOf(known: Known): LongText {
  if (known.text === null || known.hasChanged) known.text = longText([...known.texts], known.text);
  known.hasChanged = false;
  return known.text;
}
