/** A person with a key: their configuration, and a project whose gates they may sign. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Person {
  readonly name: string;
  /** Of the private key. */
  readonly key: string;
  /** In which `pawl` is this person's. */
  readonly environment: Readonly<Record<string, string>>;
  [Symbol.dispose](): void;
}

/** `passphrase`: of their key; default: none, so that a test need not type it. */
export function personWithKey(name = "ada@example.com", passphrase = ""): Person {
  const folder = mkdtempSync(join(tmpdir(), "pawl-person-"));
  const key = join(folder, "gate-key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f", key]);
  mkdirSync(join(folder, "config"));
  return {
    name,
    key,
    environment: { XDG_CONFIG_HOME: join(folder, "config") },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
