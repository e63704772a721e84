/** Writes the files that `git init` and `git config` would write, without starting git. */

/** A setting: section and variable, with the part between them unchanged; null: the variable has no value. */
export interface Setting {
  readonly key: string;
  readonly value: string | null;
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
    text += value === null ? `\t${key.slice(end + 1)}\n` : `\t${key.slice(end + 1)} = "${quoted(value)}"\n`;
  }
  return text;
}

function quoted(value: string): string {
  return value.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t").replace(/[\b]/g, "\\b");
}
