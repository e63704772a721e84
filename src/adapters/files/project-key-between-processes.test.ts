/** A project's key, made by several processes at once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-key-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = () => join(home, "a", "b");

const MAKER = `
import { openStateFolder } from ${JSON.stringify(new URL("./state-folder.ts", import.meta.url).href)};
import { openProjectKey } from ${JSON.stringify(new URL("./project-key.ts", import.meta.url).href)};
const key = openProjectKey(openStateFolder(process.argv[1])).makeKey();
process.stdout.write(Buffer.from(key).toString("hex"));
`;

async function makeInProcess(): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", MAKER, folder()], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  await once(child, "close");
  return out;
}

describe("a project's key", () => {
  test("is one, however many processes make it at once", async () => {
    promise("commit.key");
    const keys = await Promise.all(Array.from({ length: 6 }, makeInProcess));
    expect(new Set(keys)).toEqual(new Set([readFileSync(join(folder(), "key")).toString("hex")]));
    expect(readdirSync(folder())).toEqual(["key"]);
  });
});
