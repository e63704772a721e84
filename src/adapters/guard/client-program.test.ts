import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { askVersion } from "./client-program.ts";

it("a client is asked for its version in no folder that an assistant writes, and once", () => {
  promise("guard.shell");
  const place = mkdtempSync(join(tmpdir(), "pawl-client-"));
  try {
    const [program, where] = [join(place, "client"), join(place, "where")];
    writeFileSync(program, `#!/bin/sh\npwd >> ${where}\necho client 1.2.3\n`, { mode: 0o755 });
    expect([askVersion(program, place), askVersion(program, place)]).toEqual(["1.2.3", "1.2.3"]);
    expect(readFileSync(where, "utf8")).toBe("/\n");
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
