import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { probe, probeKept } from "./probe.ts";

it("says of the wall what was kept as what was tried", () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-probe-"));
  try {
    const environment = { PATH: "/usr/bin:/bin" };
    const tried = probe(environment);
    expect(probeKept(environment, folder)).toEqual(tried);
    expect(probeKept(environment, folder)).toEqual(tried);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
