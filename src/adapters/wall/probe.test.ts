import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { probe, probeKept, restriction } from "./probe.ts";

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

it("asks again after a minute if there was no wall, and says what AppArmor keeps from it", () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-probe-"));
  try {
    const environment = { PATH: "/usr/bin:/bin" };
    const keep = (result: object, seconds: number) => {
      const note = { path: environment.PATH, result, at: Date.now() - seconds * 1000 };
      writeFileSync(join(folder, "probe.json"), JSON.stringify(note));
    };
    const none = { program: null, why: "there was none" };
    keep(none, 30);
    expect(probeKept(environment, folder)).toEqual(none);
    keep(none, 90);
    expect(probeKept(environment, folder)).toEqual(probe(environment));
    keep({ program: "/kept" }, 90);
    expect(probeKept(environment, folder)).toEqual({ program: "/kept" });

    const setting = join(folder, "restrict");
    const [ubuntu, docker] = [
      "setting up uid map: Permission denied",
      "No permissions to create new namespace",
    ];
    expect(restriction(ubuntu, setting)).toBe("");
    writeFileSync(setting, "0\n");
    expect(restriction(ubuntu, setting)).toBe("");
    writeFileSync(setting, "1\n");
    expect(restriction(ubuntu, setting)).toContain("AppArmor");
    expect(restriction(docker, setting)).toBe("");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
