/**
 * Makes and verifies signatures with `ssh-keygen -Y`.
 *
 * S1  The key is read from its file, never from an ssh agent: every program of the user may use an agent's
 *     keys.
 * S2  The signed text comes on stdin, and is in no file. The person enters passphrase, PIN or touch at the
 *     controlling terminal.
 * S3  A name is only where ssh-keygen cannot read it as an option, and must be a plain name.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PawlError } from "../../core/error.ts";
import { GATE_NAMESPACE } from "../../core/gate-record.ts";
import type { SignatureOrder, Signatures, Signer } from "../../core/ports/signatures.ts";
import type { Environment } from "../process/environment.ts";
import { usedKey } from "./keys.ts";
import { sshKeygen } from "./ssh-keygen.ts";

export function openSignatures(environment: Environment, configFolder: string): Signatures {
  const signer = async () => usedKey(configFolder) ?? noKey();
  return {
    signer,
    sign: async (text) => sign(environment, await signer(), text),
    verify: (order) => verify(environment, order),
  };
}

function noKey(): never {
  throw new PawlError(
    "key-missing",
    "This gate requires a signed verdict, but this machine knows no key of yours. Nothing was changed.",
    "Run `pawl keys add` in a terminal, and have the change to .alfred/allowed_signers reviewed.",
  );
}

async function sign(environment: Environment, { path }: Signer, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pawl-signature-"));
  try {
    const askpass = join(folder, "ask");
    writeFileSync(askpass, ASK, { mode: 0o700 });
    const args = ["-Y", "sign", "-n", GATE_NAMESPACE, "-f", path];
    const { code, errors, output } = await sshKeygen(environment, args, { input: text, askpass });
    if (code === 0 && output.startsWith("-----BEGIN SSH SIGNATURE-----")) return output;
    const reason = errors.trim().split("\n").at(-1) || `exit code ${code}`;
    throw new PawlError(
      "signature-failed",
      `ssh-keygen did not sign with ${path}: expected a signature, found: ${reason}. Nothing was changed.`,
      "Check the key and its passphrase (`pawl keys list`), then give your verdict again.",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Prompts at the controlling terminal. ssh-keygen itself prompts there only for a text in a file, which
 * another program could replace a moment before.
 */
const ASK = `#!/bin/sh
exec 3<>/dev/tty || exit 1
if [ "$SSH_ASKPASS_PROMPT" = none ]; then echo "$1" >&3; exit 0; fi
saved=$(stty -g <&3)
trap 'stty "$saved" <&3' EXIT INT TERM
stty -echo <&3
printf '%s' "$1" >&3
IFS= read -r word <&3
echo >&3
printf '%s\\n' "$word"
`;

async function verify(
  environment: Environment,
  { allowed, principal, signature, text, time }: SignatureOrder,
): Promise<string | null> {
  if (principal.startsWith("-")) return "the signer's name begins with a dash";
  const folder = mkdtempSync(join(tmpdir(), "pawl-signature-"));
  try {
    const [signers, proof] = [join(folder, "allowed_signers"), join(folder, "signature")];
    writeFileSync(signers, allowed, { mode: 0o600 });
    writeFileSync(proof, signature, { mode: 0o600 });
    const at = `verify-time=${time.slice(0, 19).replace(/[-:T]/g, "")}Z`;
    const args = [
      "-Y",
      "verify",
      "-O",
      at,
      "-f",
      signers,
      "-I",
      principal,
      "-n",
      GATE_NAMESPACE,
      "-s",
      proof,
    ];
    const { code, errors } = await sshKeygen(environment, args, { input: text });
    return code === 0 ? null : reasonIn(errors);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * ssh-keygen gives the reason in its last line, with the name of a temporary file; for an unknown key it
 * gives none.
 */
function reasonIn(errors: string): string {
  const last = errors.trim().split("\n").at(-1) ?? "";
  const said = last
    .replace(/^\/[^:]*:\d+: /, "")
    .replace(/^(?:Signature verification failed|Couldn't verify signature): /, "");
  return said === "" ? "no allowed signer of this name has the key that made it" : said;
}
