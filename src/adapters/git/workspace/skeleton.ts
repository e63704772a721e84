/** Writes the files that `git init` and `git config` would write, without starting git. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `key`: section and variable, with the part between them unchanged. */
export interface Setting {
  readonly key: string;
  readonly value: string;
}

/** Makes a git folder without refs. `objects`: the folders of objects that it borrows. */
export function makeGitFolder(
  folder: string,
  {
    mode = 0o700,
    objects,
    settings,
  }: {
    readonly settings: readonly Setting[];
    readonly objects: readonly string[];
    readonly mode?: number;
  },
): void {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "info"])
    mkdirSync(join(folder, name), { recursive: true, mode });
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(folder, "objects/info/alternates"), objects.map((path) => `${path}\n`).join(""));
  writeFileSync(join(folder, "config"), configText(settings));
}

/** Settings as the text of a configuration file, in the given order. */
export function configText(settings: readonly Setting[]): string {
  let text = "";
  let last = "";
  for (const { key, value } of settings) {
    const [first, end] = [key.indexOf("."), key.lastIndexOf(".")];
    const sub = first === end ? "" : ` "${key.slice(first + 1, end).replace(/[\\"]/g, "\\$&")}"`;
    const head = `[${key.slice(0, first)}${sub}]`;
    if (head !== last) text += `${head}\n`;
    last = head;
    text += `\t${key.slice(end + 1)} = "${quoted(value)}"\n`;
  }
  return text;
}

function quoted(value: string): string {
  return value.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t").replace(/[\b]/g, "\\b");
}
