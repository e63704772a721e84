/** Makes a small repository of its own, for people who want to try Pawl. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { PawlError } from "../../core/error.ts";
import { firstEntries } from "../files/plain-file.ts";
import type { Environment } from "../process/environment.ts";
import { git } from "./git.ts";

/** The commits of a person without a name in git have this one, in this repository alone. */
const NOBODY = { "user.name": "Demo", "user.email": "demo@example.com" };

/** Returns the folder, with one commit of these files on `main`. Throws `usage` if it has something in it. */
export async function makeRepository(
  target: string,
  files: Readonly<Record<string, string>>,
  environment: Environment,
): Promise<string> {
  const folder = resolve(target);
  if (existsSync(folder) && [...firstEntries(folder, 1)].length > 0)
    throw new PawlError(
      "usage",
      `${folder} is not empty: expected a new or an empty folder. Nothing was changed.`,
      "Name another folder, such as `pawl demo /tmp/pawl-demo`.",
    );
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const call = { folder, environment };
  await git(call, ["init", "-q", "-b", "main"]);
  const { code } = await git({ ...call, accept: [1] }, ["config", "--get", "user.email"]);
  if (code !== 0) for (const [key, value] of Object.entries(NOBODY)) await git(call, ["config", key, value]);
  await git(call, ["add", "-A"]);
  await git(call, ["commit", "-q", "-m", "A small shop"]);
  return folder;
}
