import { existsSync } from "node:fs";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The native part of the file locks, of which Node loads the one for its machine: the package has more for other programs. */
export const LOCKS = resolve(import.meta.dirname, "../node_modules/fs-native-extensions");

/** One that is there stays as it is: a process may have it loaded. */
export async function buildLocks(dist: string): Promise<void> {
  const folder = join(dist, "locks");
  await mkdir(folder, { recursive: true });
  const machines = await readdir(join(LOCKS, "prebuilds"));
  const copies = machines.map(async (name) => {
    const build = join(LOCKS, "prebuilds", name, "fs-native-extensions.node");
    if (existsSync(build)) await cp(build, join(folder, `${name}.node`), { force: false });
  });
  await Promise.all(copies);
}
