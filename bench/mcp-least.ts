/**
 * The least that a cast over MCP can take as it is stored today: `node bench/mcp-least.ts [CASTS]`, beside the floor of the disk.
 *
 * Measured, in turns: the floor (`measure.ts`); one empty call to a bare server of the same SDK; and the calls of the file system
 * that a cast makes, in their order and with texts as long as theirs, without any of Pawl's own code: what is read before the
 * lock and again under it, the two locks, the journal's record and its sync, the state and the run's record (each a temporary
 * file, a last look and a rename), a line of the events, the marker. `strace -f -p PID` of a server shows them.
 * Not measured: what Pawl works out in between; other workflows.
 */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { emptyFolder, median, ms, show, speakTo, timed, writeDurably } from "./measure.ts";

const CASTS = Number(process.argv[2] ?? 400);
const WARM_UP = 200;
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, O_WRONLY } = constants;

const STATE = ".ai/task/state.json";
const RECORD = ".pawl/heads/spells/main.json";
const EVENTS = ".pawl/events.jsonl";
const JOURNAL = ".pawl/journal";
const MARKER = "applied";
/** Of each file, about half-way through a task of 48 casts. */
const LENGTHS: Readonly<Record<string, number>> = {
  [STATE]: 4_300,
  [RECORD]: 9_900,
  [EVENTS]: 100_000,
  [JOURNAL]: 140_000,
  [MARKER]: 256,
  ".ai/task/context.md": 456,
  ".ai/task/plan.md": 24,
  ".ai/task/task.md": 469,
};
const ABSENT = ["results", "comments", "review", "review-results", "refs"].map((name) => `.ai/task/${name}`);
const ENTRY = 6_600;

const folder = emptyFolder("least");
const at = (path: string) => join(folder, path);
for (const [path, length] of Object.entries(LENGTHS)) {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), "x".repeat(length));
}
mkdirSync(at(".pawl/locks"), { recursive: true });

const look = (path: string) => lstatSync(at(path), { throwIfNoEntry: false });

function lookAtFolders(path: string): void {
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) look(path.slice(0, end));
}

function read(path: string): number {
  const length = (LENGTHS[path] ?? 0) + 1;
  const file = openSync(at(path), O_RDONLY | O_NOFOLLOW);
  readSync(file, Buffer.allocUnsafe(length), 0, length, 0);
  return file;
}

function readAll(): void {
  for (const path of [".pawl", JOURNAL, "pawl.yaml", ".alfred"]) look(path);
  closeSync(read(MARKER));
  for (const path of [STATE, RECORD]) {
    lookAtFolders(path);
    look(path);
    closeSync(read(path));
  }
  for (const path of [".ai/task/context.md", ".ai/task/plan.md", ".ai/task/task.md"]) {
    look(path);
    closeSync(read(path));
  }
  for (const path of ABSENT) look(path);
}

function lock(name: string): number {
  const path = `.pawl/locks/${name}`;
  lookAtFolders(path);
  const file = openSync(at(path), O_RDWR | O_CREAT | O_NOFOLLOW);
  look(path);
  fstatSync(file);
  writeSync(file, "x".repeat(70), 0);
  return file;
}

/** Returns the replaced file, which is closed when all is answered. */
function replace(path: string): number {
  const temporary = `${path}.tmp`;
  for (let count = 0; count < 3; count++) lookAtFolders(path);
  const file = openSync(at(temporary), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  writeSync(file, "x".repeat(LENGTHS[path] ?? 0));
  fstatSync(file);
  closeSync(file);
  lookAtFolders(path);
  look(path);
  const before = read(path);
  lookAtFolders(path);
  renameSync(at(temporary), at(path));
  return before;
}

let end = LENGTHS[JOURNAL] ?? 0;
const entry = Buffer.alloc(ENTRY, "x");

function cast(): readonly number[] {
  readAll();
  const locks = [lock("run"), lock("project")];
  readAll();
  for (const path of [STATE, EVENTS, RECORD]) {
    look(path);
    accessSync(dirname(at(path)), constants.W_OK);
  }
  const journal = openSync(at(JOURNAL), O_RDWR | O_NOFOLLOW);
  end += writeSync(journal, entry, 0, ENTRY, end);
  fsyncSync(journal);
  closeSync(journal);
  const replaced = [replace(STATE)];
  lookAtFolders(EVENTS);
  const events = openSync(at(EVENTS), O_WRONLY | O_APPEND | O_NOFOLLOW);
  writeSync(events, `${"x".repeat(319)}\n`);
  fstatSync(events);
  closeSync(events);
  replaced.push(replace(RECORD));
  const marker = openSync(at(MARKER), O_RDWR | O_NOFOLLOW);
  writeSync(marker, "x".repeat(256), 0);
  closeSync(marker);
  for (const file of locks) closeSync(file);
  return replaced;
}

const bare = await speakTo([resolve(import.meta.dirname, "bare-server.ts")], folder);
const times = { floor: [] as number[], call: [] as number[], cast: [] as number[] };
for (let count = 0; count < CASTS + WARM_UP; count++) {
  let replaced: readonly number[] = [];
  const floor = await timed(() => writeDurably(folder));
  const call = await timed(() => bare.request("tools/call", { name: "echo", arguments: { text: "" } }));
  const calls = await timed(() => {
    replaced = cast();
  });
  for (const file of replaced) closeSync(file);
  if (count < WARM_UP) continue;
  times.floor.push(floor);
  times.call.push(call);
  times.cast.push(calls);
}
await bare.end();

const floor = median(times.floor);
const call = median(times.call);
const calls = median(times.cast);
const beside = (time: number) => `${ms(time)}, ${(time / floor).toFixed(2)} × the floor`;
show("floor: one small file, durable", ms(floor));
show("an empty call to a bare server", beside(call));
show("a cast's calls of the file system", beside(calls));
show("both", beside(call + calls));
