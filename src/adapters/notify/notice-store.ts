/**
 * State about notices that the processes of a project share: `notices/` in its folder outside the project.
 */
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import type { LoopRest, NoticeMemory, NoticeStore } from "../../core/ports/notify.ts";
import { nodeDisk } from "../files/node-disk.ts";
import type { StateFolder } from "../files/project-key.ts";
import { writeWhole } from "../files/write-whole.ts";

const REST = /^rest-.*\.json$/;

export function openNoticeStore(state: StateFolder): NoticeStore {
  const folder = join(state.folder, "notices");
  const asked = join(folder, "asked");
  const memory = join(folder, "reported.json");
  const make = () => {
    state.make();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  };
  const rests = () => attempt(() => readdirSync(folder), []).filter((name) => REST.test(name));
  return {
    ask() {
      make();
      closeSync(openSync(asked, constants.O_WRONLY | constants.O_CREAT, 0o600));
    },
    isAsked: () => existsSync(asked),
    takeAsked: () => rmSync(asked, { force: true }),
    noteRest(rest) {
      make();
      const restName = rest && `rest-${hashOf(restKey(rest)).slice(0, 32)}.json`;
      // Created exclusively: of several loops that come to rest at once, one sets the time.
      if (restName !== null && !existsSync(join(folder, restName)))
        attempt(
          () => writeFileSync(join(folder, restName), JSON.stringify(rest), { flag: "wx", mode: 0o600 }),
          undefined,
        );
      for (const name of rests()) if (name !== restName) rmSync(join(folder, name), { force: true });
    },
    findRest() {
      const [name] = rests();
      return name === undefined
        ? null
        : attempt(() => restIn(readFileSync(join(folder, name), "utf8")), null);
    },
    // Damaged content counts as empty: then a notice may be repeated, but none is lost.
    load: () => attempt(() => memoryIn(readFileSync(memory, "utf8")), {}),
    save(found) {
      make();
      writeWhole(memory, `${JSON.stringify(found, null, 2)}\n`);
    },
    async tryLock() {
      make();
      const disk = nodeDisk(folder);
      await disk.prepareLocks();
      const file = disk.open("lock", "update", 0o600);
      const isMine = attempt(() => disk.tryLock(file), false);
      if (isMine) return { release: () => disk.close(file) };
      disk.close(file);
      return null;
    },
  };
}

function restKey({ blocked, done, open, waiting }: LoopRest): string {
  return JSON.stringify([done, open, blocked, waiting]);
}

/** Throws on an invalid text, such as half of one. */
function restIn(text: string): LoopRest {
  const found = JSON.parse(text) as LoopRest;
  if (Array.isArray(found.blocked) && Array.isArray(found.waiting) && typeof found.time === "string")
    return found;
  throw new Error("no rest");
}

function memoryIn(text: string): NoticeMemory {
  const found = JSON.parse(text) as NoticeMemory;
  const isWhole = Object.values(found).every(
    (each) => typeof each?.reported === "object" && each.reported !== null,
  );
  if (isWhole) return found;
  throw new Error("no memory");
}
