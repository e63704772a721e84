import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";

const SOURCE = pathToFileURL(join(import.meta.dirname, "compiled-code.ts")).href;

let base: string;
let pawl: string;
let compiled: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "pawl-compiled-"));
  pawl = join(base, "state/pawl");
  compiled = join(pawl, "compiled");
  mkdirSync(join(base, "temporary"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** What a process that keeps its compiled code has written, and whether it used the folder. `build`: where the program lies. */
function start(build = import.meta.dirname, more: Readonly<Record<string, string>> = {}) {
  const { PATH = "" } = process.env;
  const environment = { PATH, XDG_STATE_HOME: join(base, "state"), TMPDIR: join(base, "temporary"), ...more };
  const text = [
    `import { getCompileCacheDir } from "node:module";`,
    `import { keepCompiledCode } from ${JSON.stringify(SOURCE)};`,
    `keepCompiledCode(process.env, ${JSON.stringify(build)});`,
    `await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, "../core/path.ts")).href)});`,
    "process.stdout.write(getCompileCacheDir() ?? '');",
  ].join("\n");
  const used = execFileSync(process.execPath, ["--input-type=module", "--eval", text], {
    env: environment,
    encoding: "utf8",
  });
  return { used, temporary: readdirSync(join(base, "temporary")) };
}

const filesIn = (folder: string) => readdirSync(folder, { recursive: true });

describe("the compiled code of the program", () => {
  it("lies in a folder that is made for the user alone, and never among temporary files", () => {
    promise("cli.compiled-code");
    const { temporary, used } = start();
    expect(used.startsWith(compiled)).toBe(true);
    expect(temporary).toEqual([]);
    expect(filesIn(compiled).length).toBeGreaterThan(1);
    for (const folder of [pawl, compiled]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("of builds that were replaced goes; that of a few stays, as they may be started by turns", () => {
    promise("cli.compiled-code");
    const builds = Array.from({ length: 6 }, (_, at) => join(base, `build-${at}`));
    const used = builds.map((build, at) => {
      mkdirSync(build);
      const folder = dirname(start(build).used);
      utimesSync(folder, at, at);
      return folder;
    });
    expect(start(builds[2]).used.startsWith(used[2] ?? "-")).toBe(true);
    expect(
      readdirSync(compiled)
        .map((name) => join(compiled, name))
        .sort(),
    ).toEqual(used.slice(2).sort());
  });

  it("is not kept for an agent's call, of which nothing stays behind the wall", () => {
    promise("cli.compiled-code");
    expect(start(undefined, { PAWL_OUTBOX: base })).toEqual({ used: "", temporary: [] });
    expect(existsSync(pawl)).toBe(false);
  });

  it.each([
    ["others may write to it", () => chmodSync(compiled, 0o720)],
    ["others may read it", () => chmodSync(compiled, 0o704)],
    ["others may write to the folder above it", () => chmodSync(pawl, 0o770)],
    [
      "it is a link",
      () => {
        renameSync(compiled, join(base, "elsewhere"));
        symlinkSync(join(base, "elsewhere"), compiled);
      },
    ],
  ])("is neither used nor written if %s", (_, loosen) => {
    promise("cli.compiled-code");
    mkdirSync(compiled, { recursive: true, mode: 0o700 });
    loosen();
    expect(start()).toEqual({ used: "", temporary: [] });
    expect(filesIn(compiled)).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0).each(["compiled", ""])(
    "is neither used nor written if another user owns the folder pawl/%s",
    (name) => {
      mkdirSync(compiled, { recursive: true, mode: 0o700 });
      chownSync(join(pawl, name), 1234, 1234);
      expect(start().used).toBe("");
      expect(filesIn(compiled)).toEqual([]);
    },
  );

  it("is done without if the folder cannot be made", () => {
    mkdirSync(join(base, "state"));
    symlinkSync(join(base, "nowhere"), pawl);
    expect(start()).toEqual({ used: "", temporary: [] });
  });
});
