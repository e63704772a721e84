/**
 * The keys that may sign at the project's gates. The file has OpenSSH's own format; CI reads it from the
 * protected branch.
 */
import { PawlError } from "../../../core/error.ts";
import { ALLOWED_SIGNERS, GATE_NAMESPACE } from "../../../core/gate-record.ts";
import type { Keys, PublicKey } from "../../../core/ports/signatures.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import type { Run } from "../line/command.ts";
import { editFiles } from "../project/edit-files.ts";
import { refuseAgent } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";
import { projectIdEdit } from "./project-id.ts";

export const addKey: Run = async (host, call) => {
  refuseAgent(host, "decide whose key signs");
  const project = await host.projects.open();
  const keys = await host.person.keys(project.root);
  const key = await chosen(keys, call.arguments.key, call.options.generate === true);
  if (key.isOpen && call.options.unprotected !== true)
    throw new PawlError(
      "key-unusable",
      `${key.path} has no passphrase: every program of yours could sign with it, an agent's too.`,
      `Give it one (\`ssh-keygen -p -f ${key.path}\`), or make a key for gates alone: \`pawl keys add --generate\`.`,
    );
  const principal = String(call.options.as ?? (await keys.principal()));
  checkPrincipal(principal);
  const line = `${principal} namespaces="${GATE_NAMESPACE}" ${key.line}\n`;
  const id = project.runtime.newId().replaceAll("-", "");
  const { reply } = await runTransaction(project.runtime, addLine(line, id), null, host.person.caller());
  await keys.use({ principal, path: key.path });
  const text = [
    `${reply.text}`,
    `You sign as ${principal}, with ${key.path} (${key.fingerprint}).`,
    "Commit the change and have it reviewed: `pawl verify` reads these files from the protected branch.",
  ].join("\n");
  return {
    text: `${clean(text)}\n`,
    data: { ...reply.data, principal, key: key.path, fingerprint: key.fingerprint },
  };
};

async function chosen(keys: Keys, given: unknown, isGenerated: boolean): Promise<PublicKey> {
  if (isGenerated) return keys.generate();
  if (typeof given === "string") return keys.inspect(given);
  const used = await keys.used();
  if (used) return keys.inspect(used.path);
  throw new PawlError(
    "key-missing",
    "No key of yours is known on this machine: expected the path of a public key, or --generate.",
    "Run `pawl keys add PATH.pub`, or `pawl keys add --generate`.",
  );
}

/** Checks the principal, because it becomes the first word of a line. */
function checkPrincipal(principal: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._%+@-]{0,200}$/.test(principal)) return;
  throw new PawlError(
    "usage",
    `${JSON.stringify(principal)} is not a signer's name: expected letters, digits and . _ % + @ -.`,
    "Say which with --as, for instance your address.",
  );
}

function addLine(line: string, id: string) {
  return editFiles("pawl:keys", async (view, settings) => {
    const before = await view.read(ALLOWED_SIGNERS);
    const signers =
      before === null || before === "" || before.endsWith("\n") ? (before ?? "") : `${before}\n`;
    const after = signers.includes(line) ? before : `${signers}${line}`;
    return [{ path: ALLOWED_SIGNERS, before, after }, await projectIdEdit(view, settings, id)];
  });
}

export const listKeys: Run = async (host) => {
  const project = await host.projects.open();
  const used = await (await host.person.keys(project.root)).used();
  const text = (await project.runtime.store.view().read(ALLOWED_SIGNERS)) ?? "";
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  const signers = lines.map((line) => ({ signer: line.trim().split(/\s+/, 1)[0] ?? "", line: line.trim() }));
  const signing = used
    ? `You sign as ${used.principal}, with ${used.path}.`
    : "No key of yours is known here.";
  const listed =
    signers.length === 0
      ? `${ALLOWED_SIGNERS} names nobody: \`pawl keys add\` adds you.`
      : [`${ALLOWED_SIGNERS}:`, ...signers.map(({ line }) => `  ${line}`)].join("\n");
  return { text: `${clean(`${signing}\n${listed}`)}\n`, data: { used, signers } };
};
