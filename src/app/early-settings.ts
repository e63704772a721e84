/**
 * Settings of pawl.yaml that are needed before the project's store is open. Reads the file on the disk,
 * without the journal: a damaged journal must not keep `pawl repair` from starting.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Configuration } from "../config/config.ts";
import { attempt } from "../core/attempt.ts";
import type { View } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";

export type SettingsReader = (view: Pick<View, "read">) => Promise<Configuration>;

const IS_SET = {
  stores: ({ stores }: Settings) => stores.bloom !== "files",
  workflows: ({ workflows }: Settings) => workflows.length > 0,
} as const;

/**
 * Whether pawl.yaml sets this. Of a file with faults, the part that can be parsed counts; its reader reports
 * the faults.
 */
export async function isSet(key: keyof typeof IS_SET, root: string, read: SettingsReader): Promise<boolean> {
  const textOf = (path: string) =>
    attempt(
      () => (statSync(join(root, path)).isFile() ? readFileSync(join(root, path), "utf8") : null),
      null,
    );
  try {
    return IS_SET[key]((await read({ read: async (path) => textOf(path) })).settings);
  } catch {
    return (await import("../config/config-file.ts")).hasKey(textOf("pawl.yaml") ?? "", key);
  }
}
