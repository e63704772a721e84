/** Every shape of work that the store does, small enough to be tried at every one of its calls. */
import { type ProjectPath, projectPath } from "../../src/core/path.ts";
import type { Change, Editor, Store } from "../../src/core/ports/store.ts";

export interface Shape {
  readonly name: string;
  /** Files that are there before Pawl is. */
  readonly files: Readonly<Record<string, string>>;
  /** What ran before, without a fault. */
  before?(store: Store): Promise<void>;
  /** What is tried. Resolves to whether it was done. */
  run(store: Store): Promise<boolean>;
  /** What another process does next. Only where `run` itself changes no file. */
  afterwards?(store: Store): Promise<boolean>;
  /** A journal that grows longer than this is settled by the commit. */
  readonly journalBytes?: number;
  /** An event log that is longer than this is put aside once the journal is settled. */
  readonly eventsBytes?: number;
  /** Paths that a person may save meanwhile. */
  readonly shared: readonly string[];
}

const path = (text: string): ProjectPath => projectPath(text);
const EVENTS = ".pawl/events.jsonl";

/** Each edit is a line, put at the end unless it is there. */
export const EDITORS: Readonly<Record<string, Editor>> = {
  lines: (text, edits) =>
    edits.reduce<string>(
      (result, line) => (result.includes(`${line}\n`) ? result : `${result}${line}\n`),
      text,
    ),
};

export const write = (to: string, text: string): Change => ({ type: "write", path: path(to), text });
export const append = (to: string, id: string, text = `{"id":"${id}"}\n`): Change => ({
  type: "append",
  path: path(to),
  id,
  text,
});
export const move = (from: string, to: string): Change => ({ type: "move", from: path(from), to: path(to) });
export const remove = (from: string): Change => ({ type: "remove", path: path(from) });
export const edit = (to: string, text: string, ...edits: string[]): Change => ({
  type: "edit",
  path: path(to),
  text,
  editor: "lines",
  edits,
});
const event = (id: string) => append(EVENTS, id);

/** As the runtime does it: reads what it is about to change, then commits; anew where a person was faster. */
async function commit(store: Store, reads: readonly string[], ...changes: Change[]): Promise<boolean> {
  const view = store.view();
  for (const read of reads) await view.read(path(read));
  return (await store.commit(view, changes)) === "committed";
}

async function done(result: Promise<boolean>): Promise<void> {
  if (!(await result)) throw new Error("a step before the shape was not committed");
}

const BIG = "A line that is long enough to be torn in many places.\n".repeat(20);

export const SHAPES: readonly Shape[] = [
  {
    name: "the first commit ever: one new file",
    files: { "readme.md": "theirs\n" },
    run: (store) => commit(store, ["a.md"], write("a.md", "new\n")),
    shared: ["a.md"],
  },
  {
    name: "new files in new folders",
    files: { "readme.md": "theirs\n" },
    before: (store) => done(commit(store, [], event("e1"))),
    run: (store) => commit(store, [], write("x/y/a.md", BIG), write("x/z/b.md", "b\n"), event("e2")),
    shared: ["x/y/a.md"],
  },
  {
    name: "replacing",
    files: { "a.md": "old a\n", "d/b.md": "old b\n" },
    before: (store) => done(commit(store, [], event("e1"))),
    run: (store) =>
      commit(
        store,
        ["a.md", "d/b.md"],
        write("a.md", `new\n${BIG}`),
        write("d/b.md", "new b\n"),
        event("e2"),
      ),
    shared: ["a.md", "d/b.md"],
  },
  {
    name: "appending, twice to one file and once to a new one",
    files: { "notes.md": "theirs\n" },
    before: (store) => done(commit(store, [], event("e1"))),
    run: (store) =>
      commit(store, [], event("e2"), append("notes.md", "n1", "- n1\n"), append("new.md", "n2"), event("e3")),
    shared: ["notes.md", EVENTS],
  },
  {
    name: "moving to an archive and writing afresh",
    files: { "w/state.json": '{"n":1}\n', "w/notes.md": "notes\n" },
    before: (store) => done(commit(store, [], event("e1"))),
    run: (store) =>
      commit(
        store,
        ["w/state.json", "w/notes.md"],
        move("w/state.json", "archive/1/state.json"),
        move("w/notes.md", "archive/1/notes.md"),
        write("w/state.json", '{"n":2}\n'),
        event("e2"),
      ),
    shared: ["w/state.json", "w/notes.md"],
  },
  {
    name: "removing",
    files: { "a.md": "a\n", "d/b.md": "b\n" },
    before: (store) => done(commit(store, [], event("e1"))),
    run: (store) => commit(store, ["a.md", "d/b.md"], remove("a.md"), remove("d/b.md"), event("e2")),
    shared: ["a.md"],
  },
  {
    name: "an edit that can be redone",
    files: { "tasks.yaml": "one\ntwo\n" },
    before: (store) => done(commit(store, [], event("e1"))),
    run: (store) =>
      commit(store, ["tasks.yaml"], edit("tasks.yaml", "one\ntwo\nthree\n", "three"), event("e2")),
    shared: ["tasks.yaml"],
  },
  {
    name: "everything in one, after commits that are still in the journal",
    files: { "a.md": "old\n", "tasks.yaml": "one\n", "gone.md": "gone\n", "old.md": "archive me\n" },
    async before(store) {
      await done(commit(store, ["a.md"], write("a.md", "first\n"), event("e1")));
      await done(commit(store, ["tasks.yaml"], edit("tasks.yaml", "one\ntwo\n", "two"), event("e2")));
      await done(commit(store, [], append("a.md", "a2", "a2\n"), event("e3")));
    },
    run: (store) =>
      commit(
        store,
        ["a.md", "tasks.yaml", "gone.md", "old.md"],
        write("a.md", "second\n"),
        edit("tasks.yaml", "one\ntwo\nthree\n", "three"),
        remove("gone.md"),
        move("old.md", "archive/old.md"),
        append("log/x.jsonl", "l1"),
        event("e4"),
      ),
    shared: ["a.md", "tasks.yaml", "old.md"],
  },
  {
    name: "a second commit of the same files",
    files: { "a.md": "v0\n" },
    async before(store) {
      await done(commit(store, ["a.md"], write("a.md", "v1\n"), write("b.md", "v1\n"), event("e1")));
      await done(commit(store, ["a.md"], write("a.md", "v2\n"), remove("b.md"), event("e2")));
    },
    run: (store) =>
      commit(store, ["a.md", "b.md"], write("a.md", "v3\n"), write("b.md", "v3\n"), event("e3")),
    shared: ["a.md", "b.md"],
  },
  {
    name: "settling",
    files: { "a.md": "v0\n", "old.md": "old\n" },
    async before(store) {
      await done(commit(store, ["a.md"], write("a.md", "v1\n"), event("e1")));
      await done(commit(store, [], move("old.md", "archive/old.md"), write("n/b.md", BIG), event("e2")));
    },
    run: async (store) => {
      await store.settle();
      return true;
    },
    shared: ["a.md"],
  },
  {
    name: "settling, before a record of the very same length",
    files: { "a.md": "v0\n" },
    before: (store) => done(commit(store, ["a.md"], write("a.md", "v1\n"))),
    run: async (store) => {
      await store.settle();
      return true;
    },
    afterwards: (store) => commit(store, ["a.md"], write("a.md", "v2\n")),
    shared: ["a.md"],
  },
  {
    name: "a commit that settles a long journal",
    files: { "a.md": "v0\n" },
    journalBytes: 1000,
    before: (store) => done(commit(store, ["a.md"], write("a.md", "v1\n"), event("e1"))),
    run: (store) => commit(store, ["a.md"], write("a.md", BIG), append("d/new.md", "n"), event("e2")),
    shared: ["a.md"],
  },
  {
    name: "settling, and a long event log is put aside",
    files: { "a.md": "v0\n" },
    eventsBytes: 20,
    async before(store) {
      await done(commit(store, ["a.md"], write("a.md", "v1\n"), event("e1"), event("e2")));
      await store.settle();
      await done(commit(store, ["a.md"], write("a.md", "v2\n"), event("e3"), event("e4")));
    },
    run: async (store) => {
      await store.settle();
      return true;
    },
    async afterwards(store) {
      const isDone = await commit(store, ["a.md"], write("a.md", "v3\n"), event("e5"), event("e6"));
      await store.settle();
      return isDone;
    },
    shared: ["a.md", EVENTS],
  },
  {
    name: "a commit that settles a long journal, and puts a long event log aside",
    files: { "a.md": "v0\n" },
    journalBytes: 1000,
    eventsBytes: 20,
    before: (store) => done(commit(store, ["a.md"], write("a.md", "v1\n"), event("e1"))),
    run: (store) => commit(store, ["a.md"], write("a.md", BIG), event("e2"), event("e3")),
    shared: ["a.md"],
  },
  {
    name: "a commit after settling",
    files: { "a.md": "v0\n" },
    async before(store) {
      await done(commit(store, ["a.md"], write("a.md", "v1\n"), event("e1")));
      await store.settle();
    },
    run: (store) => commit(store, ["a.md"], write("a.md", "v2\n"), event("e2")),
    shared: ["a.md"],
  },
];
