import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { until } from "../../../test/rig/until.ts";
import { attempt } from "../../core/attempt.ts";
import { openBrowser } from "./open-browser.ts";

const ADDRESS = "http://127.0.0.1:4000/enter/token";

describe.skipIf(process.platform !== "linux")("a browser", () => {
  it("is given the address, and nothing of the environment but what it needs", async () => {
    promise("board.door");
    const folder = mkdtempSync(join(tmpdir(), "pawl-browser-"));
    const seen = join(folder, "seen");
    const program = `#!/bin/sh\n{ echo "$@"; env; } > ${seen}.new; mv ${seen}.new ${seen}\n`;
    writeFileSync(join(folder, "xdg-open"), program, { mode: 0o755 });
    const environment = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ":7", GITHUB_TOKEN: "secret-token" };
    expect(openBrowser(ADDRESS, environment)).toBe(true);
    const text = await until(() => attempt(() => readFileSync(seen, "utf8"), null));
    expect(text.split("\n")[0]).toBe(ADDRESS);
    expect(text).toContain("DISPLAY=:7");
    expect(text).not.toContain("secret-token");
    rmSync(folder, { recursive: true, force: true });
  });

  it("is not opened if there is no desktop", () => {
    promise("board.door");
    expect(openBrowser(ADDRESS, { PATH: "/nowhere" })).toBe(false);
  });

  it("that is not there ends nothing", () => {
    expect(openBrowser(ADDRESS, { PATH: "/nowhere", DISPLAY: ":7" })).toBe(false);
  });
});
