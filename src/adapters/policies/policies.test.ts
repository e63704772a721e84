import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { openStateFolder } from "../files/state-folder.ts";
import { openPolicies } from "./policies.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-policies-"));
});
afterEach(() => {
  chmodSync(home, 0o700);
  rmSync(home, { recursive: true, force: true });
});

const RUN = "alfred:TS-01";
const open = () => openPolicies(openStateFolder(home));
const folder = () => join(home, "policies");
const file = () => join(folder(), readdirSync(folder())[0] ?? "");
const edited = (change: (kept: Record<string, unknown>) => object) =>
  writeFileSync(file(), JSON.stringify(change(JSON.parse(readFileSync(file(), "utf8")))));

/** What may have become of a policy that was kept. */
const BROKEN: Readonly<Record<string, () => void>> = {
  "is no JSON": () => writeFileSync(file(), '{"version": 1, "run'),
  "is empty": () => writeFileSync(file(), ""),
  "is null": () => writeFileSync(file(), "null"),
  "says another policy than its hash": () => edited((kept) => ({ ...kept, policy: {} })),
  "is of another run": () => edited((kept) => ({ ...kept, run: "alfred:TS-02" })),
  "is of a later version": () => edited((kept) => ({ ...kept, version: 2 })),
  "is a folder": () => {
    const path = file();
    rmSync(path);
    mkdirSync(path);
  },
};

describe("a policy that was kept", () => {
  it("is found again, and forgotten", async () => {
    await open().keep(RUN, { permission: "ask" });
    expect(await open().find(RUN)).toEqual({ permission: "ask" });
    expect(await open().list()).toEqual([RUN]);
    await open().forget(RUN);
    expect([await open().find(RUN), await open().list()]).toEqual([null, []]);
  });

  it.each(Object.keys(BROKEN))(
    "and %s is an error that names its file and what to do, never none",
    async (how) => {
      promise("state-home.unreadable");
      await open().keep(RUN, { permission: "ask" });
      BROKEN[how]?.();
      const fault = {
        code: "state-home-failed",
        message: expect.stringContaining(folder()),
        fix: expect.stringMatching(/\w/),
      };
      await expect(open().find(RUN)).rejects.toMatchObject(fault);
      await expect(open().list()).rejects.toMatchObject(fault);
    },
  );

  it("is none if none was kept, be it that nothing was ever kept of the project", async () => {
    expect([await open().find(RUN), await open().list()]).toEqual([null, []]);
    await open().keep("alfred:TS-02", {});
    expect(await open().find(RUN)).toBeNull();
  });
});
