/**
 * Removes known secrets from the output of child processes as it enters Pawl: before it is kept, shown or put
 * into a prompt. Known are the values of secret names (`isSecretName`), in Pawl's environment and in files that
 * `.worktreeinclude` names, and passwords in addresses; also as JSON and URLs encode them.
 */
import { existsSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";
import type { Environment } from "./environment.ts";

/** Anywhere in a name. */
const PARTS =
  /WEBHOOK|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIAL|CAPABILITY|KEY|COOKIE|BEARER|AUTHORIZATION|MNEMONIC|CONN(?:ECTION)?_?STR/i;
/** Words of a name, between its underscores. */
const WORDS = /(?:^|_)(?:PASS|PAT|AUTH|PW|PWD|DSN|SAS|JWT|JWK|PSK|OTP|TOTP|PIN|SALT|SEED|HMAC)(?:S?(?:_|$))/i;
/**
 * `SSHPASS`, `DBPASS`, `HTTPAUTH`; not ASKPASS, the program that prompts, nor BYPASS, which bypasses a proxy.
 */
const ENDS = /(?:(?<!ASK|BY|COM)PASS|AUTH)$/i;
/** The shell's own. */
const NO_SECRET = /^(?:OLD)?PWD$/;
/** Shorter ones occur in any text. */
const MIN_SECRET_LENGTH = 8;
/** Values that name a kind, not the secret itself. */
const HARMLESS = /^(?:true|false|disabled|enabled|required|optional)$/i;
/** A value that may be the path of a secret. Base64 may begin with a slash, too. */
const PLACE = /^(?:\/|~\/|\.\.?\/)\S*$/;
const OF_PLACE = /(?:FILE|PATH|DIR|FOLDER|HOME|SOCK|SOCKET|ASKPASS)$/i;

interface Secret {
  readonly bytes: string;
  readonly mask: string;
}

/**
 * Bytes are handled as Latin-1 text, one character each, so that a chunk may end inside a UTF-8 character.
 */
const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}

function secretsIn(environment: Environment, more: readonly NamedSecret[]): readonly Secret[] {
  const found = new Map<string, string>();
  const add = (name: string, value: string) => {
    if (value.length < MIN_SECRET_LENGTH || HARMLESS.test(value) || isPlace(name, value)) return;
    const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(wellFormed(value))];
    const lines = value.split(/\r?\n/).filter((line) => line.length >= 24);
    for (const form of [...forms, ...(value.includes("\n") ? lines : [])])
      if (!found.has(bytesOf(form))) found.set(bytesOf(form), bytesOf(`[redacted ${name}]`));
  };
  const all = [...Object.entries(environment), ...more.map(({ name, value }) => [name, value] as const)];
  for (const [name, value] of all) {
    if (!value) continue;
    if (isSecretName(name)) add(name, value.trim());
    for (const password of passwordsIn(value)) add(name, password);
  }
  const secrets = [...found].map(([bytes, mask]) => ({ bytes, mask }));
  return secrets.sort((a, b) => b.bytes.length - a.bytes.length);
}

function isSecretName(name: string): boolean {
  return !NO_SECRET.test(name) && (PARTS.test(name) || WORDS.test(name) || ENDS.test(name));
}

function isPlace(name: string, value: string): boolean {
  return PLACE.test(value) && (OF_PLACE.test(name) || existsSync(value));
}

function wellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

/** `https://name:password@host` */
function passwordsIn(value: string): readonly string[] {
  if (value.length > 10_000 || !value.includes("://")) return [];
  const passwords = [...value.matchAll(/:\/\/([^\s/@:]*):([^\s/@]+)@/g)].flatMap(([, , word = ""]) => word);
  return passwords.flatMap((word) => {
    return attempt(() => [word, decodeURIComponent(word)], [word]);
  });
}

export interface Redactor {
  /** Masks a whole text. */
  text(text: string): string;
  /** Masks bytes as they arrive; a secret may be split over chunks. */
  stream(): RedactingStream;
  /** The length in bytes of the longest secret; 0 if none is known. */
  readonly longest: number;
}

interface RedactingStream {
  /** Returns the bytes that are safe to pass on. Bytes that may yet become a secret are held back. */
  push(chunk: Uint8Array): Buffer;
  end(): Buffer;
}

/** Masks every secret that the environment holds, and those among the named values. */
export function openRedactor(environment: Environment, more: readonly NamedSecret[] = []): Redactor {
  const secrets = secretsIn(environment, more);
  const longest = secrets[0]?.bytes.length ?? 0;
  if (longest === 0) return { text: (text) => text, stream: passThrough, longest };
  const masks = new Map(secrets.map(({ bytes, mask }) => [bytes, mask]));
  const pattern = new RegExp(secrets.map(({ bytes }) => escaped(bytes)).join("|"), "g");
  const mask = (bytes: string) => bytes.replace(pattern, (secret) => masks.get(secret) ?? "");
  return {
    text(text) {
      const bytes = bytesOf(text);
      const shown = mask(bytes);
      return shown === bytes ? text : Buffer.from(shown, "latin1").toString("utf8");
    },
    stream: () => redactingStream(secrets, pattern, masks),
    longest,
  };
}

function passThrough(): RedactingStream {
  return { push: (chunk) => Buffer.from(chunk), end: () => Buffer.alloc(0) };
}

function redactingStream(
  secrets: readonly Secret[],
  pattern: RegExp,
  masks: ReadonlyMap<string, string>,
): RedactingStream {
  let held = "";
  return {
    push(chunk) {
      const bytes = held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      const from = openEnd(bytes, secrets);
      let out = "";
      let at = 0;
      for (const { 0: secret, index } of bytes.matchAll(pattern)) {
        // A longer secret may begin here.
        if (index >= from) break;
        out += bytes.slice(at, index) + (masks.get(secret) ?? "");
        at = index + secret.length;
      }
      const until = Math.max(at, from);
      held = bytes.slice(until);
      return Buffer.from(out + bytes.slice(at, until), "latin1");
    },
    end() {
      const rest = held.replace(pattern, (secret) => masks.get(secret) ?? "");
      held = "";
      return Buffer.from(rest, "latin1");
    },
  };
}

/** Where the earliest unfinished secret begins at the end of the bytes; their length if there is none. */
function openEnd(bytes: string, secrets: readonly Secret[]): number {
  let earliest = bytes.length;
  for (const secret of secrets) {
    const from = Math.max(0, bytes.length - secret.bytes.length + 1);
    for (let at = bytes.indexOf(secret.bytes[0] ?? "", from); at >= 0 && at < earliest; ) {
      if (secret.bytes.startsWith(bytes.slice(at))) earliest = at;
      else at = bytes.indexOf(secret.bytes[0] ?? "", at + 1);
    }
  }
  return earliest;
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
