/**
 * The devices of `pawl board --listen`: a file each in Pawl's state folder.
 *
 * F1  A file is written once, whole and synced, then linked to its name, and never changed: a revoked device
 *     cannot come back by a write that was under way.
 * F2  A file that is not what Pawl writes, or that others could write, is an error. It is never skipped.
 */
import { isDeepStrictEqual } from "node:util";
import { PawlError } from "../../core/error.ts";
import {
  type Device,
  type Devices,
  isDeviceName,
  LONGEST_NAME,
  MAX_DEVICES,
} from "../../core/ports/devices.ts";
import {
  accepts,
  type Check,
  fields,
  listOf,
  onlyKeys,
  orNull,
  readState,
  sha256,
  text,
} from "../../core/state-json.ts";
import { errnoOf, withFile, writeNew } from "../files/disk.ts";
import { tryUnlink } from "../files/journal/temporary.ts";
import { inStateHome, type StateFolder } from "../files/project-key.ts";
import { watchFolder } from "../files/watch.ts";

const NAME = /^([0-9a-f]{8})\.json$/;
/** Bytes. */
const MAX_FILE_BYTES = 16 * 1024;
/** Milliseconds between reads, where the kernel reports no change. */
const POLL = 1000;

export function openDevices(stateHome: StateFolder): Devices {
  const { disk, folder } = stateHome;
  const pathOf = (id: string) => `${id}.json`;
  const list = () =>
    inStateHome(stateHome, "be read", () => {
      if (disk.lstat("") === null) return [];
      const names = disk.list("").filter(({ name }) => NAME.test(name));
      const loaded = names.map(({ name }) => loadDevice(stateHome, name));
      return loaded.sort((one, other) => (one.added < other.added ? -1 : 1));
    });
  return {
    list,
    add(device) {
      if (list().length >= MAX_DEVICES)
        throw new PawlError(
          "usage",
          `${MAX_DEVICES} devices may use the board already, and no more can.`,
          "Revoke one first: `pawl board --devices` names them, `pawl board --revoke NAME` revokes one.",
        );
      inStateHome(stateHome, "be written", () => writeDevice(stateHome, device, pathOf(device.id)));
    },
    revoke: (id) =>
      inStateHome(stateHome, "be written", () => {
        try {
          disk.unlink(pathOf(id));
        } catch (thrown) {
          if (errnoOf(thrown) === "ENOENT") return false;
          throw thrown;
        }
        disk.fsyncFolder("");
        return true;
      }),
    isValid(device) {
      try {
        return isDeepStrictEqual(loadDevice(stateHome, pathOf(device.id)), device);
      } catch {
        return false;
      }
    },
    watch(changed) {
      const interval = setInterval(changed, POLL);
      const watcher = watchFolder(folder, changed);
      return {
        close() {
          clearInterval(interval);
          watcher.close();
        },
      };
    },
  };
}

function writeDevice({ disk, make }: StateFolder, device: Device, path: string): void {
  make();
  const fresh = `${path}.${disk.uniqueId()}.new`;
  try {
    writeNew(disk, fresh, Buffer.from(`${JSON.stringify(device, null, 2)}\n`), 0o600);
    disk.link(fresh, path);
  } finally {
    tryUnlink(disk, fresh);
  }
  disk.fsyncFolder("");
}

function loadDevice(stateHome: StateFolder, name: string): Device {
  const { disk, folder } = stateHome;
  const path = `${folder}/${name}`;
  const stats = disk.lstat(name);
  if (stats === null) throw damagedFileError(path, "it is gone");
  if (stats.kind !== "file") throw damagedFileError(path, "it is no regular file");
  if ((stats.mode & 0o022) !== 0) throw damagedFileError(path, "other users may write it");
  if (stats.size > MAX_FILE_BYTES) throw damagedFileError(path, `it has ${stats.size} bytes`);
  const json = withFile(disk, name, "read", (fd) =>
    Buffer.from(disk.read(fd, 0, MAX_FILE_BYTES)).toString("utf8"),
  );
  const device = readState(json, DEVICE, (line, problem) =>
    damagedFileError(path, `line ${line}: ${problem}`),
  );
  if (device.id !== NAME.exec(name)?.[1]) throw damagedFileError(path, "its id is not its name");
  return device;
}

function damagedFileError(path: string, problem: string): PawlError {
  return new PawlError(
    "state-home-failed",
    `${path} does not describe a device of the board: expected a file that Pawl wrote, found: ${problem}. No device was let in.`,
    "Remove the file, and register that device again.",
  );
}

const base64url = accepts<string>(
  (value) => typeof value === "string" && /^[\w-]{16,4096}$/.test(value),
  "base64url",
);
const time = accepts<string>(
  (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  "a time",
);

const PASSKEY = {
  id: base64url,
  publicKey: base64url,
  counter: accepts<number>((value) => Number.isSafeInteger(value) && Number(value) >= 0, "a whole number"),
  transports: listOf(
    accepts<string>((value) => typeof value === "string" && /^[a-z-]{1,20}$/.test(value), "a transport"),
  ),
  domain: text,
};
const COOKIE = { hash: sha256, until: time };
const FIELDS = {
  id: accepts<string>((value) => typeof value === "string" && /^[0-9a-f]{8}$/.test(value), "an id"),
  name: accepts<string>(
    (value) => typeof value === "string" && isDeviceName(value),
    `a name of at most ${LONGEST_NAME} visible characters`,
  ),
  added: time,
  passkey: orNull(onlyKeys(Object.keys(PASSKEY), fields(PASSKEY))),
  cookie: orNull(onlyKeys(Object.keys(COOKIE), fields(COOKIE))),
};
const DEVICE = onlyKeys(Object.keys(FIELDS), fields(FIELDS)) as Check<Device>;
