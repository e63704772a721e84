/** What governs runs of the project's own workflows, as protected places: their files, and the folders of their texts. */
import { join } from "node:path";
import { readPlainText } from "../adapters/files/plain-file.ts";
import { attempt } from "../core/attempt.ts";
import { ownFile } from "../core/own-file.ts";

/** Reads only the one key: a hook and a wall cannot wait for a YAML parser, and only a person writes the file. */
const REPLIES = /^["']?replies["']?[ \t]*:[ \t]*["']?(?:\.\/)?([^"'\s#]+)/m;

/** `files`: as in pawl.yaml, relative to the root. */
export function workflowPlaces(root: string, files: readonly string[]): readonly string[] {
  return files.flatMap((path) => {
    const { file, name } = ownFile(path);
    const text = attempt(() => readPlainText(join(root, file)), "");
    // A workflow that extends another one may leave the key out.
    const [, folder = name] = REPLIES.exec(text) ?? [];
    return [file, join(file, "..", folder, "**")];
  });
}
