/**
 * Loads the editors only when an edit must be redone: that is rare, their code is large, and no lock is held
 * for it.
 */
import type { Editor } from "../../core/ports/store.ts";

export type LoadEditors = () => Promise<Readonly<Record<string, Editor>>>;

export interface Editors {
  /** Undefined: no editor has that name. Throws `EditorsNeeded` before the editors are loaded. */
  readonly get: (name: string) => Editor | undefined;
  readonly load: () => Promise<void>;
}

/** The holder of a lock releases it, loads the editors and starts over. */
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
