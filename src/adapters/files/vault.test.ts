import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { simDisk, simState } from "../../../test/crash/sim-disk.ts";
import { Machine } from "../../../test/crash/sim-machine.ts";
import { openStatePlace } from "./state-place.ts";
import { openVault } from "./vault.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-vault-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = () => join(home, "a", "b");
const open = () => openVault(openStatePlace(folder()));

describe("a project's key", () => {
  test("is made when it is first needed, and is the same ever after", () => {
    expect(open().key()).toBeNull();
    expect(existsSync(folder())).toBe(false);
    const key = open().makeKey();
    expect(key).toHaveLength(32);
    expect(open().key()).toEqual(key);
    expect(open().makeKey()).toEqual(key);
  });

  test("that is damaged is an error, and stays as it is", () => {
    open().makeKey();
    for (const damage of ["", "short", "x".repeat(33)]) {
      writeFileSync(join(folder(), "key"), damage);
      expect(() => open().makeKey()).toThrowError(
        expect.objectContaining({
          code: "state-home-failed",
          message: expect.stringContaining("is damaged"),
        }),
      );
      expect(readFileSync(join(folder(), "key"), "utf8")).toBe(damage);
    }
  });

  test("is not read through a link", () => {
    open().makeKey();
    rmSync(join(folder(), "key"));
    const elsewhere = join(home, "elsewhere");
    writeFileSync(elsewhere, "x".repeat(32));
    symlinkSync(elsewhere, join(folder(), "key"));
    expect(() => open().key()).toThrowError(expect.objectContaining({ code: "state-home-failed" }));
  });

  test("is whole or absent, wherever its maker dies, the power is cut or the disk refuses", () => {
    for (const fate of ["die", "die-halfway", "ENOSPC", "EIO"] as const) {
      for (let at = 1; ; at++) {
        const machine = new Machine();
        let calls = 0;
        const disk = simDisk(machine, ({ index }) => {
          calls = index;
          return index === at ? fate : undefined;
        });
        let made: Uint8Array | null = null;
        try {
          made = openVault(simState(disk)).makeKey();
        } catch {}
        const seen = openVault(simState(simDisk(machine))).key();
        if (made !== null) expect(seen).toEqual(made);
        machine.cutPower(() => false);
        const kept = openVault(simState(simDisk(machine)));
        if (made !== null) expect(kept.key()).toEqual(made);
        expect(kept.makeKey()).toHaveLength(32);
        const others = [...machine.tree().keys()].filter((path) => path !== "~state/key");
        // Who died between the two names of the key leaves both.
        expect(others.length).toBeLessThanOrEqual(fate.startsWith("die") ? 1 : 0);
        if (calls < at) break;
      }
    }
  });
});
