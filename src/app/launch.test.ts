import { describe, expect, it } from "vitest";
import { BY_NPX, launchOf, sharedProgramOf } from "./launch.ts";

describe("How a client starts Pawl again", () => {
  it("is by path from a checkout, on the Node that runs: the client may find an older one", () => {
    expect(launchOf({ home: "/src/pawl/dist", cwd: "/project" })).toEqual([
      process.execPath,
      "/src/pawl/dist/main.js",
      "mcp",
    ]);
  });

  it("is by the package's name where it is installed as one, and fetches no stranger of that name", () => {
    const installed = (home: string) => launchOf({ home, cwd: "/project/a" });
    const cached = "/cache/_npx/1/node_modules/pawl/dist";
    expect(installed(cached)).toEqual([process.execPath, `${cached}/main.js`, "mcp"]);
    expect(installed("/project/node_modules/pawl/dist")).toEqual([...BY_NPX, "mcp"]);
    expect(installed("/usr/lib/node_modules/pawl/dist")).toEqual(["pawl", "mcp"]);
  });

  it("is never by a path in what other machines share", () => {
    const shared = (home: string) => sharedProgramOf({ home, cwd: "/project/a" });
    expect(shared("/src/pawl/dist")).toEqual(["pawl"]);
    expect(shared("/project/node_modules/pawl/dist")).toEqual(BY_NPX);
  });
});
