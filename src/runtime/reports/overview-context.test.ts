import { expect, test } from "vitest";
import type { View } from "../../core/ports/store.ts";
import type { Runtime } from "../transaction/run-transaction.ts";
import { overviewContext, recalled } from "./overview-context.ts";

const VIEW = { name: "the view" } as unknown as View;

test("an overview has the settings of its view, which are read once and only when they are wanted", async () => {
  const read: unknown[] = [];
  const settings = async (view: View) => {
    read.push(view);
    return {};
  };
  const outside = { leases: "the leases", workers: "the workers" };
  const now = () => new Date("2026-01-31T09:30:15.250Z");
  const context = overviewContext({ now, outside, settings } as unknown as Runtime, VIEW);
  expect(read).toEqual([]);
  expect(await context.settings()).toBe(await context.settings());
  expect(read).toEqual([VIEW]);
  expect(context).toMatchObject({ ...outside, time: "2026-01-31T09:30:15.250Z" });
  expect(["cache", "memory"].filter((key) => key in context)).toEqual([]);
  const kept = { cache: "the cache", memory: "the memory" };
  expect(overviewContext({ now, outside, settings, ...kept } as unknown as Runtime, VIEW)).toMatchObject(
    kept,
  );
});

test("what is made of files is recalled if there is a memory, and made if there is none", async () => {
  const made: unknown[] = [];
  const make = async (view: View) => {
    made.push(view);
    return "new";
  };
  expect(await recalled({}, "key", VIEW, make)).toBe("new");
  const memory = { recall: async (key: string, view: View, given: unknown) => [key, view, given] };
  expect(await recalled({ memory: memory as never }, "key", VIEW, make)).toEqual(["key", VIEW, make]);
  expect(made).toEqual([VIEW]);
});
