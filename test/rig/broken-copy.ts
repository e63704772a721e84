/** A copy of the checkout, in which a proof breaks the code in one place at a time. */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
/** What no test reads, or what each run makes anew. */
const LEFT: ReadonlySet<string> = new Set([".git", "node_modules", "dist", ".rig", ".stryker", "coverage"]);

export interface Edit {
  /** Relative to the checkout. */
  readonly file: string;
  /** Occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface BrokenCopy extends Disposable {
  readonly folder: string;
  /** Throws where `find` does not occur exactly once. */
  break(edit: Edit): void;
  /** Undoes every edit. */
  mend(): void;
}

export function copyCheckout(): BrokenCopy {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-broken-")));
  for (const name of readdirSync(ROOT))
    if (!LEFT.has(name)) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const before = new Map<string, string>();
  return {
    folder,
    break(edit) {
      const path = join(folder, edit.file);
      const text = readFileSync(path, "utf8");
      const broken = apply(edit, text);
      if (!before.has(path)) before.set(path, text);
      writeFileSync(path, broken);
    },
    mend() {
      for (const [path, text] of before) writeFileSync(path, text);
      before.clear();
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function timesFound({ file, find }: Edit, text = readFileSync(join(ROOT, file), "utf8")): number {
  return text.split(find).length - 1;
}

function apply(edit: Edit, text: string): string {
  const times = timesFound(edit, text);
  if (times !== 1) throw new Error(`${edit.file}: expected once, found ${times} times: ${edit.find}`);
  return text.replace(edit.find, () => edit.replace);
}
