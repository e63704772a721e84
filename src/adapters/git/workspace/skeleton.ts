/** Writes the files of a repository that git would make by `git init` and `git config`, without starting it. */

/** A setting: section and variable, with the part between them as it is; null: the variable stands without a value. */
export interface Setting {
  readonly key: string;
  readonly value: string | null;
}

/** Settings as the text of a configuration file, in their order. */
export function configText(settings: readonly Setting[]): string {
  let text = "";
  let last = "";
  for (const { key, value } of settings) {
    const [first, end] = [key.indexOf("."), key.lastIndexOf(".")];
    const sub = first === end ? "" : ` "${key.slice(first + 1, end).replace(/[\\"]/g, "\\$&")}"`;
    const head = `[${key.slice(0, first)}${sub}]`;
    if (head !== last) text += `${head}\n`;
    last = head;
    text += value === null ? `\t${key.slice(end + 1)}\n` : `\t${key.slice(end + 1)} = "${quoted(value)}"\n`;
  }
  return text;
}

function quoted(value: string): string {
  return value.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t").replace(/[\b]/g, "\\b");
}
