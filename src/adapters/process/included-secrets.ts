/**
 * The secrets in the files that `.worktreeinclude` brings into workspaces, such as `.env`: a program that works
 * there may print them.
 */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import { textIn } from "../files/agent-folder.ts";
import { readPlainText } from "../files/plain-file.ts";
import { writeWhole } from "../files/write-whole.ts";
import type { Environment } from "./environment.ts";
import { type NamedSecret, openRedactor, type Redactor } from "./redact.ts";
import { isWorkspace, topOf, workFolder } from "./work-folder.ts";

/** Beside a repository's workspaces. */
const NOTE = "@included.json";
const MAX_BYTES = 1024 * 1024;
const MAX_SECRETS = 2000;

interface Included {
  /** The person's checkout. */
  readonly from: string;
  readonly paths: readonly string[];
}

/** `top`: the workspace's. */
export function noteIncluded({ agentPath }: AgentFolder, included: Included): void {
  writeWhole(join(dirname(agentPath), NOTE), JSON.stringify(included));
}

/** Those that a program in the folder may see: as they are in the person's checkout, and in the workspace. */
export function includedSecrets(folder: AgentFolder): readonly NamedSecret[] {
  if (!isWorkspace(folder)) return [];
  const top = topOf(folder);
  return secretsOf(dirname(top.agentPath), top);
}

/** Masks those of all workspaces of the project, beside those that the environment holds. */
export function openProjectRedactor(root: string, environment: Environment): Redactor {
  const work = workFolder(root, environment);
  const names = attempt(() => readdirSync(work), []);
  return openRedactor(
    environment,
    names.flatMap((name) => secretsOf(join(work, name), null)),
  );
}

function secretsOf(base: string, top: AgentFolder | null): readonly NamedSecret[] {
  const note = attempt(() => JSON.parse(readPlainText(join(base, NOTE))) as Included, null);
  if (note === null) return [];
  return note.paths
    .flatMap((path) => [
      ...attempt(() => secretsInFile(path, readPlainText(join(note.from, path), MAX_BYTES)), []),
      ...(top === null ? [] : secretsInFile(path, textIn(top, path, MAX_BYTES) ?? "")),
    ])
    .slice(0, MAX_SECRETS);
}

/** `NAME=value`, `export NAME="value"`, `"name": "value",`, `name: value`, `//host/:_authToken=value` */
const LINE = /^\s*(?:export\s+)?["']?(?:\/\/\S*[:/])?([A-Za-z_][\w.-]*)["']?\s*[=:]\s*(?=\S)(.+)$/;

/** Each line's, and the whole text of a private key. */
export function secretsInFile(path: string, text: string): readonly NamedSecret[] {
  const secrets = text.split(/\r?\n/).flatMap((line): readonly NamedSecret[] => {
    const [, name, value] = LINE.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value: unquoted(withoutEnd(value)) }];
  });
  const isKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text);
  return isKey ? [...secrets, { name: `KEY of ${basename(path)}`, value: text }] : secrets;
}

/** Without blanks, commas and semicolons at its end. No `/[\s,;]+$/`, which takes quadratic time. */
function withoutEnd(value: string): string {
  let end = value.length;
  while (end > 1 && /[\s,;]/.test(value.charAt(end - 1))) end--;
  return value.slice(0, end);
}

function unquoted(value: string): string {
  const [, , inner] = /^(["'`])(.*)\1/.exec(value) ?? [];
  return inner ?? value.replace(/(?<!\s)\s+#.*$/, "");
}
