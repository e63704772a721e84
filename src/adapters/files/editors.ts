/** Editors are loaded where an edit must be redone. That is rare, their code is large, and no lock waits for it. */
import type { Editor } from "../../core/ports/store.ts";

export type LoadEditors = () => Promise<Readonly<Record<string, Editor>>>;

export interface Editors {
  /** Undefined: there is none of that name. Throws `EditorsNeeded` before they are loaded. */
  readonly get: (name: string) => Editor | undefined;
  readonly load: () => Promise<void>;
}

/** Whoever holds a lock gives it back, loads the editors and starts over. */
export class EditorsNeeded extends Error {}

export function lateEditors(load: LoadEditors): Editors {
  let loaded: Readonly<Record<string, Editor>> | null = null;
  return {
    get(name) {
      if (loaded === null) throw new EditorsNeeded(`The editor ${name} is not loaded.`);
      return Object.hasOwn(loaded, name) ? loaded[name] : undefined;
    },
    async load() {
      loaded ??= await load();
    },
  };
}
