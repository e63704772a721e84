/**
 * Runs in the built program: loads the scripts that `make-scripts.ts` made of the quick commands' chunks, with V8's own cache of
 * their compiled code. Node's compile cache holds a module as it was before it ran, without the functions that each start calls;
 * this one is taken at the end of a command, with all that the command called.
 *
 * 1. It lies in the folder of Node's compile cache, which is one version's of Node, one user's, and of V8's flags.
 * 2. Its name has the hash of the script, so that no other build's is taken. V8 itself looks at its own version and flags.
 * 3. V8 trusts the code and would end the process over a byte that changed on the disk. So it is there twice, and both must be
 *    the same: to compare them takes a twentieth of what it takes to load a hash.
 * 4. Each command has its own: V8 reads all of it at once, so what other commands call would cost each start a tenth and more.
 * 5. It is taken when a command ends that loaded a script for which it has none, or has run for some seconds. Then all of its
 *    scripts are kept anew, with what both ways through the command called. After those seconds only what is loaded later is added:
 *    V8 throws away what a server called at its start and never again; taken at its end, the code would lack just that.
 */
import type { Script } from "node:vm";

/** In the order of their names. */
type Exports = readonly unknown[];
type Late = (specifier: string) => Promise<unknown>;
/** What a script may ask of `import.meta`. */
interface Meta {
  readonly url: string;
  readonly dirname: string;
}
type Body = (need: (name: string) => unknown, late: Late, meta: Meta) => Exports;

export type Scripts = (name: string) => Exports;

interface Place {
  /** The folder of the chunks, with a slash at its end, as a path. */
  readonly folder: string;
  /** Loads a module from there. */
  readonly late: Late;
  /** The hash of each script. */
  readonly hashes: Readonly<Record<string, string>>;
  /** The command that runs, whose functions are kept; without it, no cache is read or written. */
  readonly verb?: string | undefined;
}

interface Loaded {
  readonly exports: Exports;
  readonly script: Script;
  readonly isKept: boolean;
}

/** More than anybody uses of one version: a project's own workflows name commands as they like. */
const MOST_FILES = 200;
const WEEK = 7 * 24 * 60 * 60 * 1000;

/** Milliseconds after which what runs is no start any more. */
const STARTED = 2000;

/** The scripts of a folder: the same for all who ask, since they have state of their own. */
export function openScripts(place: Place): Scripts {
  const key = Symbol.for(`pawl: scripts of ${place.folder}`);
  const known = globalThis as unknown as Record<symbol, Scripts | undefined>;
  known[key] ??= open(place);
  return known[key];
}

function open({ folder, late, hashes, verb }: Place): Scripts {
  const builtin = process.getBuiltinModule;
  const { Script } = builtin("node:vm");
  const fs = builtin("node:fs");
  const cache = verb === undefined ? undefined : builtin("node:module").getCompileCacheDir?.();
  const loaded = new Map<string, Loaded>();
  const modules = new Map<string, Promise<unknown>>();

  const pathOf = (name: string) => `${cache}/pawl-${name}-${hashes[name]}-${verb}`;
  const load = (name: string): Loaded => {
    const filename = `${folder}${name}.cjs`;
    const cachedData = cache ? readCached(pathOf(name)) : null;
    const options = cachedData ? { filename, cachedData } : { filename };
    const script = new Script(fs.readFileSync(filename, "latin1"), options);
    const body: Body = script.runInThisContext();
    const exports = body(need, lateOf, { url: filename, dirname: folder.slice(0, -1) });
    return { exports, script, isKept: cachedData !== null && script.cachedDataRejected === false };
  };
  const scripts = (name: string): Exports => {
    const known = loaded.get(name) ?? load(name);
    loaded.set(name, known);
    return known.exports;
  };
  const need = (name: string) => (name in hashes ? scripts(name) : builtin(name as "node:fs"));
  const lateOf: Late = async (specifier) => {
    const name = specifier.slice("./".length, -".js".length);
    return name in hashes ? scripts(name) : imported(specifier);
  };
  /** Node looks for the file each time, also of a module that is loaded. */
  const imported: Late = (specifier) => {
    const known = modules.get(specifier);
    if (known !== undefined) return known;
    const found = late(specifier);
    modules.set(specifier, found);
    found.catch(() => modules.delete(specifier));
    return found;
  };

  /** Somebody else's file is not run. */
  const readCached = (path: string): Buffer | null => {
    let file: number | undefined;
    try {
      file = fs.openSync(path, "r");
      const user = process.getuid?.();
      if (user !== undefined && fs.fstatSync(file).uid !== user) return null;
      const whole = fs.readFileSync(file);
      const data = whole.subarray(0, whole.length / 2);
      return data.equals(whole.subarray(data.length)) ? data : null;
    } catch {
      return null;
    } finally {
      if (file !== undefined) fs.closeSync(file);
    }
  };

  const keep = (path: string, script: Script) => {
    const temporary = `${path}.${process.pid}`;
    // First, since the rest is for nothing where it cannot be written.
    const file = fs.openSync(temporary, "wx", 0o600);
    try {
      const data = script.createCachedData();
      fs.writeFileSync(file, Buffer.concat([data, data]));
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(temporary, path);
  };
  if (cache) {
    let isStart = true;
    const keepNew = (code: number) => {
      const fresh = [...loaded].filter(([, { isKept }]) => !isKept);
      if (code !== 0 || fresh.length === 0) return;
      try {
        if (dropOld(cache, hashes) > MOST_FILES) return;
        for (const [name, each] of isStart ? [...loaded] : fresh) {
          keep(pathOf(name), each.script);
          loaded.set(name, { ...each, isKept: true });
        }
      } catch {
        // The next start is slower.
      }
    };
    process.once("exit", keepNew);
    setTimeout(() => {
      keepNew(0);
      isStart = false;
    }, STARTED).unref();
  }
  return scripts;
}

/** Removes what other builds have left; returns how many files of this one there are. */
function dropOld(cache: string, hashes: Readonly<Record<string, string>>): number {
  const fs = process.getBuiltinModule("node:fs");
  const own = Object.entries(hashes).map(([name, hash]) => `pawl-${name}-${hash}-`);
  const isOwn = (name: string) => own.some((start) => name.startsWith(start)) && !name.includes(".");
  const names = fs.readdirSync(cache).filter((name) => name.startsWith("pawl-"));
  for (const name of names) {
    const path = `${cache}/${name}`;
    if (!isOwn(name) && Date.now() - fs.statSync(path).mtimeMs > WEEK) fs.rmSync(path, { force: true });
  }
  return names.filter(isOwn).length;
}
