/** A long list in a database: one document for whoever reads and writes it, and one for each entry where it is kept. */
import { describe, expect, it } from "vitest";
import { onDatabase } from "../../../test/rig/postgres.ts";
import { databaseForEach } from "../../../test/rig/stores.ts";
import { PROJECT_FOLDER, projectPath } from "../../core/path.ts";
import type { Change, Store } from "../../core/ports/store.ts";

const place = databaseForEach();

async function open(): Promise<Store> {
  const database = place.database();
  return (await database.project(place.project)).store;
}

const TASKS = projectPath("tasks.yaml");
const write = (text: string): Change => ({ type: "write", path: TASKS, text });
const entry = (at: number, count = 0) => `- id: T${at}\n  title: ${"x".repeat(100)}\n  count: ${count}\n`;
const list = (entries: number, count = 0) =>
  `tasks:\n${Array.from({ length: entries }, (_, at) => entry(at, count)).join("")}`;
const read = async (store: Store) => (await store.view().read(TASKS)) ?? "";

const documents = (where: string) =>
  onDatabase(place.url, async (client) => {
    const of = "d.project = (select id from pawl.project where name = $1)";
    const { rows } = await client.query(
      `select path, text from pawl.document d where ${of} and text is not null and ${where} order by path`,
      [place.project],
    );
    return rows as readonly { readonly path: string; readonly text: string }[];
  });
const NEWEST = "d.revision = (select revision from pawl.project where name = $1)";

describe("A long list in a database", () => {
  it("is one document for everybody, and a change of one entry writes one part of it", async () => {
    const [one, other] = [await open(), await open()];
    await one.commit(one.view(), [write(list(300))]);
    expect(await read(other)).toBe(list(300));
    const view = one.view();
    await view.read(TASKS);
    const changed = list(300).replace(entry(7), entry(7, 1));
    expect(await one.commit(view, [write(changed)])).toBe("committed");
    expect((await documents(NEWEST)).map(({ text }) => text)).toEqual([entry(7, 1)]);
    expect(await read(other)).toBe(changed);
    expect(await other.view().list(PROJECT_FOLDER)).toEqual([{ name: "tasks.yaml", kind: "file" }]);
    expect(await other.view().list(projectPath(".pawl"))).toEqual([]);

    const twice = [write(list(300)), { type: "append", path: TASKS, id: "e", text: entry(300) } as const];
    expect(await other.commit(other.view(), twice)).toBe("committed");
    expect(await read(one)).toBe(`${list(300)}${entry(300)}`);
    await other.commit(other.view(), [write(list(2))]);
    expect(await documents("true")).toEqual([{ path: "tasks.yaml", text: list(2) }]);
    await one.commit(one.view(), [write(list(300))]);
    expect(await read(other)).toBe(list(300));
    await other.commit(other.view(), [{ type: "remove", path: TASKS }]);
    expect([await one.view().read(TASKS), await documents("true")]).toEqual([null, []]);
  });

  it("counts right where several change the same and other entries at once", async () => {
    const first = await open();
    await first.commit(first.view(), [write(list(200))]);
    const count = async (store: Store, own: number) => {
      for (let times = 0; times < 5; ) {
        const view = store.view();
        const text = (await view.read(TASKS)) ?? "";
        const next = [own, 100].reduce(
          (all, at) =>
            all.replace(
              new RegExp(`(- id: T${at}\\n.*\\n  count: )(\\d+)`),
              (_, start, found) => `${start}${Number(found) + 1}`,
            ),
          text,
        );
        if ((await store.commit(view, [write(next)])) === "committed") times += 1;
      }
    };
    await Promise.all([1, 2, 3, 4].map(async (own) => count(await open(), own)));
    const counts = [...(await read(await open())).matchAll(/- id: (T\d+)\n.*\n {2}count: ([1-9]\d*)/g)];
    expect(counts.map(([, id, times]) => `${id} ${times}`)).toEqual([
      "T1 5",
      "T2 5",
      "T3 5",
      "T4 5",
      "T100 20",
    ]);
  });

  it("is never a mixture of two, also where nobody read what they wrote over", async () => {
    const first = await open();
    await first.commit(first.view(), [write(list(200))]);
    const texts = Array.from({ length: 4 }, (_, at) => list(150 + 20 * at, at + 1));
    const over = async (text: string) => {
      const store = await open();
      for (let times = 0; times < 5; ) {
        if ((await store.commit(store.view(), [write(text)])) === "committed") times += 1;
        else await read(store);
        expect([list(200), ...texts]).toContain(await read(store));
      }
    };
    await Promise.all(texts.map(over));
    const last = await read(await open());
    expect(texts).toContain(last);
    expect(await documents("d.path <> 'tasks.yaml'")).toHaveLength(last.split("- id:").length);
  });
});
