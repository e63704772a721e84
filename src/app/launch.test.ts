import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { BY_NPX, launchOf, ownProgramOf, sharedProgramOf } from "./launch.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "pawl-launch-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A project with Pawl among its packages. `store`: where its package manager keeps what `node_modules/pawl` leads to. */
function projectWith(name: string, store?: string) {
  const root = join(base, name);
  const link = join(root, "node_modules/pawl");
  const real = store === undefined ? link : join(root, "node_modules", store);
  mkdirSync(join(real, "dist"), { recursive: true });
  if (real !== link) symlinkSync(real, link);
  writeFileSync(join(root, "package.json"), "{}");
  mkdirSync(join(root, "node_modules/.bin"));
  writeFileSync(join(root, "node_modules/.bin/pawl"), "");
  mkdirSync(join(root, "a"));
  return { root, link, folders: { home: join(real, "dist"), cwd: join(root, "a") } };
}

describe("How a client starts Pawl again", () => {
  it("is by path from a checkout, on the Node that runs: the client may find an older one", () => {
    expect(launchOf({ home: "/src/pawl/dist", cwd: "/project" })).toEqual([
      process.execPath,
      "/src/pawl/dist/main.js",
      "mcp",
    ]);
  });

  it("is by the package's name if it is installed as one, and fetches no stranger of that name", () => {
    const installed = (home: string) => launchOf({ home, cwd: base });
    for (const home of [
      "/cache/_npx/1/node_modules/pawl/dist",
      "/project/.yarn/unplugged/pawl-npm-1/node_modules/pawl/dist",
    ])
      expect(installed(home)).toEqual([process.execPath, `${home}/main.js`, "mcp"]);
    expect(launchOf(projectWith("flat").folders)).toEqual([...BY_NPX, "mcp"]);
    expect(installed("/usr/lib/node_modules/pawl/dist")).toEqual(["pawl", "mcp"]);
  });

  it.each([
    ["pnpm", ".pnpm/pawl@1.0.0/node_modules/pawl"],
    ["bun", ".bun/pawl@1.0.0/node_modules/pawl"],
  ])(
    "is by that name if %s keeps the package elsewhere, and its own path outlives an update",
    (manager, store) => {
      const { folders, link } = projectWith(manager, store);
      expect(launchOf(folders)).toEqual([...BY_NPX, "mcp"]);
      expect(ownProgramOf(folders)).toEqual([process.execPath, join(link, "dist/main.js")]);
    },
  );

  it("is by its own path if npx would find no program", () => {
    const { folders, link, root } = projectWith("yarn", ".store/pawl-npm-1.0.0/package");
    rmSync(join(root, "node_modules/.bin"), { recursive: true });
    const own = [process.execPath, join(link, "dist/main.js")];
    expect(launchOf(folders)).toEqual([...own, "mcp"]);
  });

  it("is by its own path in a package of pnpm's workspace, where npx does not look above, unlike in npm's", () => {
    const { folders, link, root } = projectWith("workspace");
    writeFileSync(join(folders.cwd, "package.json"), "{}");
    expect(launchOf(folders)).toEqual([process.execPath, join(link, "dist/main.js"), "mcp"]);
    writeFileSync(join(root, "package.json"), '{ "workspaces": ["a"] }');
    expect(launchOf(folders)).toEqual([...BY_NPX, "mcp"]);
  });

  it("is by force if the project lets npm run nothing, as what pnpm makes does", () => {
    const { folders, root } = projectWith("engines");
    const devEngines = { packageManager: { name: "pnpm", version: "12.0.0", onFail: "download" } };
    writeFileSync(join(root, "package.json"), JSON.stringify({ devEngines }));
    const launch = ["npx", "--force", "--loglevel=error", "--no", "--package=pawl", "--", "pawl", "mcp"];
    expect(launchOf(folders)).toEqual(launch);
  });

  it("is never by a path in what other machines share", () => {
    expect(sharedProgramOf({ home: "/src/pawl/dist", cwd: base })).toEqual(["pawl"]);
    expect(sharedProgramOf(projectWith("shared").folders)).toEqual(BY_NPX);
  });
});
