import { chmodSync, existsSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { keepProgramsFrom } from "../process/programs.ts";
import { tryCommand } from "./try.ts";

it("a hook that is tried starts no program of the project by its name, though npx puts such a folder on the PATH", () => {
  promise("files.planted");
  const project = realpathSync(mkdtempSync(join(tmpdir(), "pawl-try-")));
  keepProgramsFrom(project);
  writeFileSync(join(project, "uname"), `#!/bin/sh\ntouch ${project}/ran\n`);
  chmodSync(join(project, "uname"), 0o755);
  const environment = { ...process.env, PATH: `${project}:${process.env.PATH}` };
  expect(tryCommand("uname", "", project, environment)).toMatchObject({ code: 0, err: "" });
  expect(existsSync(join(project, "ran"))).toBe(false);
});
