/** What lists every run, and how much of it. */
import { expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

it("`pawl watch` says that it needs a terminal, and what prints into pipes", async () => {
  using project = temporaryProject();
  expect(await project.pawl("watch")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/needs a terminal.*\[terminal-missing\]\nfix:.*pawl status/s),
  });
});

const TASKS = ["A", "B", "C", "D", "E"].map((id) => `- {id: ${id}, title: t, status: blocked}\n`).join("");

it("`status` and `review` show as many as `--limit` allows, and say how many they leave out", async () => {
  promise("cli.readable");
  using project = bloomProject({ tasks: `tasks:\n${TASKS}` });
  const status = await project.bloom("status", "--limit", "2");
  expect(status.out.match(/^ {2}bloom:\w/gm)).toHaveLength(2);
  expect(status.out).toContain("\nand 3 more: pawl status --limit 5\n");
  const review = await project.bloom("review", "--limit", "2");
  expect(review.out.match(/^bloom:\w/gm)).toHaveLength(2);
  expect(review.out).toContain("\n5 things wait for you.\n3 of them not shown: pawl review --limit 5\n");
  const json = async (...words: readonly string[]) =>
    JSON.parse((await project.bloom(...words, "--json")).out) as Record<string, unknown[]>;
  const { left_out: left, runs } = await json("status", "--limit", "2");
  expect([left, runs?.length]).toEqual([3, 2]);
  const { left_out: rest, waiting } = await json("review", "--limit", "4");
  expect([rest, waiting?.length]).toEqual([1, 4]);
  for (const command of ["status", "review"]) {
    expect((await project.bloom(command, "--limit", "9")).out).not.toMatch(/more:|not shown/);
    expect(await project.bloom(command, "--limit", "0")).toMatchObject({
      code: 2,
      err: expect.stringContaining('--limit is "0": expected a whole number from 1 on'),
    });
  }
});
