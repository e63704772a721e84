/**
 * The keys of this machine's person. The person's own configuration selects the signing key, so that no
 * project file does. The private key is not copied.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import type { Keys, PublicKey, Signer } from "../../core/ports/signatures.ts";
import { gitLine } from "../git/git.ts";
import { baseFolder } from "../process/base-folder.ts";
import type { Environment } from "../process/environment.ts";
import { sshKeygen } from "./ssh-keygen.ts";

/** The folder of the person's own configuration. */
export function configFolder(environment: Environment): string {
  return baseFolder(environment, "XDG_CONFIG_HOME");
}

const FILE = "signing-key.json";
const GENERATED = "gate-key";

/** The key that signs on this machine; null if none is known. */
export function usedKey(folder: string): Signer | null {
  let text: string;
  try {
    text = readFileSync(join(folder, FILE), "utf8");
  } catch {
    return null;
  }
  try {
    const { path, principal } = JSON.parse(text) as Partial<Signer>;
    if (typeof path === "string" && isAbsolute(path) && typeof principal === "string")
      return { path, principal };
  } catch {
    // It is not valid JSON: reported like any other text that names no key.
  }
  throw unusableKeyError(join(folder, FILE), "it does not say which key signs");
}

export function openKeys(
  environment: Environment,
  place: { readonly root: string; readonly folder: string },
): Keys {
  const inspect = (path: string) => inspectKey(environment, path);
  return {
    inspect,
    async generate() {
      mkdirSync(place.folder, { recursive: true, mode: 0o700 });
      const path = join(place.folder, GENERATED);
      const args = ["-q", "-t", "ed25519", "-C", "pawl gates", "-f", path];
      if (existsSync(path)) throw unusableKeyError(path, "that key already exists");
      const ended = await sshKeygen(environment, args, {});
      if (ended.code !== 0) throw unusableKeyError(path, ended.errors.trim() || "ssh-keygen made no key");
      const key = await inspect(path);
      if (!key.isOpen) return key;
      for (const made of [path, `${path}.pub`]) rmSync(made, { force: true });
      throw unusableKeyError(path, "it has no passphrase, so every program of yours could sign with it");
    },
    async use(signer) {
      mkdirSync(place.folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(place.folder, FILE), `${JSON.stringify({ version: 1, ...signer }, null, 2)}\n`, {
        mode: 0o600,
      });
    },
    used: async () => usedKey(place.folder),
    async principal() {
      const call = { folder: place.root, environment, accept: [1, 128] };
      const address = await gitLine(call, ["config", "user.email"]).catch(() => "");
      return address || attempt(() => userInfo().username, `uid-${process.getuid?.() ?? 0}`);
    },
  };
}

async function inspectKey(environment: Environment, given: string): Promise<PublicKey> {
  const path = resolve(given.replace(/\.pub$/, ""));
  const text = readPublic(`${path}.pub`);
  const [, line] =
    /^((?:sk-)?(?:ssh|ecdsa)-[A-Za-z0-9@.-]+ [A-Za-z0-9+/=]+)(?: [^\n]*)?\n?$/.exec(text) ?? [];
  if (line === undefined) throw unusableKeyError(`${path}.pub`, "it is not an OpenSSH public key");
  const shown = await sshKeygen(environment, ["-l", "-f", `${path}.pub`]);
  if (shown.code !== 0) throw unusableKeyError(`${path}.pub`, shown.errors.trim());
  const isHardware = line.startsWith("sk-");
  const opened = await sshKeygen(environment, ["-y", "-P", "", "-f", path]);
  return {
    path,
    line,
    fingerprint: shown.output.split(" ")[1] ?? "",
    isOpen: !isHardware && opened.code === 0,
  };
}

function readPublic(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, 20_000);
  } catch (cause) {
    throw unusableKeyError(path, cause instanceof Error ? cause.message : String(cause));
  }
}

function unusableKeyError(path: string, why: string): PawlError {
  return new PawlError(
    "key-unusable",
    `${path} cannot sign for gates: ${why}.`,
    "Name the public key of a passphrase-protected key (`pawl keys add PATH.pub`), or let Pawl make one: `pawl keys add --generate`.",
  );
}
