import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchOf } from "./launch.ts";

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-launch-"));
  for (const name of ["same", "other", "none"]) mkdirSync(at(name));
  symlinkSync(process.execPath, at("same/node"));
  writeFileSync(at("other/node"), "#!/bin/sh\nexit 1\n");
  chmodSync(at("other/node"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("How a client starts Pawl again", () => {
  const checkout = (...folders: string[]) =>
    launchOf({ home: "/src/pawl/dist", cwd: "/project", path: folders.map(at).join(delimiter) });

  it("is by `node` from a checkout, where the one on the PATH is the one that runs", () => {
    expect(checkout("none", "same", "other")).toEqual(["node", "/src/pawl/dist/main.js", "mcp"]);
  });

  it.each([[["other", "same"]], [["other"]], [["none"]], [[]]])(
    "names the Node that runs where the one on the PATH is another, or none: %j",
    (folders) => {
      expect(checkout(...folders)).toEqual([process.execPath, "/src/pawl/dist/main.js", "mcp"]);
    },
  );

  it("is by the package's name where it is installed as one", () => {
    const installed = (home: string) => launchOf({ home, cwd: "/project/a", path: "" });
    expect(installed("/cache/_npx/1/node_modules/pawl/dist")).toEqual(["npx", "-y", "pawl", "mcp"]);
    expect(installed("/project/node_modules/pawl/dist")).toEqual(["npx", "pawl", "mcp"]);
    expect(installed("/usr/lib/node_modules/pawl/dist")).toEqual(["pawl", "mcp"]);
  });
});
