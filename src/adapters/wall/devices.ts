/**
 * Devices of the walls' own. Their owner may change the mode of a device, also behind a wall: to root, the machine's
 * own ones belong.
 */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { findProgram, SYSTEM } from "../process/programs.ts";
import { spawnSync } from "../process/start-program.ts";
import type { Mount } from "./arguments.ts";

/** What bubblewrap's `--dev` takes from the machine, with the numbers that Linux gives each. */
const DEVICES = {
  null: [1, 3],
  zero: [1, 5],
  full: [1, 7],
  random: [1, 8],
  urandom: [1, 9],
  tty: [5, 0],
} as const;

/**
 * `walls`: the folder of the walls' lists. Where it or devices cannot be made, or its file system opens none, the machine's
 * own remain.
 */
export function ownDevices(walls: string): readonly Mount[] {
  if (process.getuid?.() !== 0) return [];
  const folder = join(walls, "dev");
  const isMade = attempt(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return true;
  }, false);
  if (!isMade) return [];
  const devices = Object.entries(DEVICES).flatMap(([name, [major, minor]]): Mount[] => {
    const from = join(folder, name);
    if (!isDevice(from)) {
      const mknod = findProgram("mknod", { PATH: SYSTEM }).path;
      if (mknod !== null) spawnSync(mknod, [from, "c", String(major), String(minor)], { stdio: "ignore" });
      if (!isDevice(from)) return [];
    }
    chmodSync(from, 0o666);
    return [{ type: "device", at: `/dev/${name}`, from }];
  });
  return attempt(() => closeSync(openSync(join(folder, "null"), "w")) === undefined, false) ? devices : [];
}

function isDevice(path: string): boolean {
  return attempt(() => lstatSync(path).isCharacterDevice(), false);
}
