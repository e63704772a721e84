/** Opens the person's editor on a text. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PawlError } from "../../core/error.ts";
import type { Environment } from "./environment.ts";
import { safePath } from "./programs.ts";
import { spawnSync } from "./start-program.ts";

/** `VISUAL` or `EDITOR`, as git reads them: a command line to which the file is added. */
export function openEditor(text: string, ending: string, environment: Environment) {
  const editor = environment.VISUAL || environment.EDITOR;
  if (!editor)
    throw new PawlError(
      "terminal-missing",
      "No editor is set: expected a command in $EDITOR, such as vi. Nothing was changed.",
      "Set $EDITOR, or name the keys: `pawl task edit ID --set KEY=VALUE`.",
    );
  const file = join(mkdtempSync(join(tmpdir(), "pawl-edit-")), `edit.${ending}`);
  writeFileSync(file, text, { mode: 0o600 });
  const env = { ...environment, PATH: safePath(environment) };
  const { error, signal, status } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], {
    env,
    stdio: "inherit",
  });
  if (status !== 0)
    throw new PawlError(
      "person-declined",
      `The editor (${editor}) ended with ${error?.message ?? signal ?? status}. Nothing was changed.`,
      `Your text is in ${file}. Run the command again, or set another $EDITOR.`,
    );
  return { text: readFileSync(file, "utf8"), file, forget: () => rmSync(dirname(file), { recursive: true }) };
}
