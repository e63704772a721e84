import { expect, it } from "vitest";
import { projectPath } from "../../core/path.ts";
import type { Git } from "../../core/ports/git.ts";
import { cachedGit } from "./cached-git.ts";

/** Git that only counts what it is asked. */
function countingGit(): { readonly git: Git; readonly asked: string[] } {
  const asked: string[] = [];
  const counted = (name: string) => async (first?: unknown) => {
    asked.push(`${name} ${JSON.stringify(first)}`);
    return { name } as never;
  };
  const git: Git = {
    ...{
      state: counted("state"),
      pin: counted("pin"),
      snapshot: counted("snapshot"),
      changes: counted("changes"),
    },
    ...{ between: counted("between"), commits: counted("commits"), shapes: counted("shapes") },
    in: async (repo) => {
      asked.push(`in ${repo}`);
      return countingGit().git;
    },
  };
  return { git, asked };
}

it("git is asked once for the same, whoever asks, and again for anything else", async () => {
  const { asked, git } = countingGit();
  const seen = cachedGit(git);
  const order = { base: null, own: [".pawl"] };
  const [one, two] = await Promise.all([seen.snapshot(order), seen.snapshot({ ...order })]);
  expect(one).toBe(two);
  await seen.snapshot({ base: "main", own: [".pawl"] });
  await seen.commits("main", "a");
  await seen.commits("main", "b");
  await seen.commits("main", "b");
  await seen.pin("a");
  for (let at = 0; at < 2; at++) {
    await seen.between("x", "y");
    await seen.shapes?.("x", "y");
    await seen.state();
  }
  await seen.shapes?.("x", "z");
  const api = projectPath("api");
  expect(await seen.in?.(api)).toBe(await seen.in?.(api));
  expect(asked).toEqual([
    'snapshot {"base":null,"own":[".pawl"]}',
    'snapshot {"base":"main","own":[".pawl"]}',
    ...['commits "main"', 'commits "main"', 'pin "a"', 'between "x"', 'shapes "x"'],
    ...["state undefined", 'shapes "x"', "in api"],
  ]);
});

it("a later look sees what is there then", async () => {
  const { asked, git } = countingGit();
  await cachedGit(git).state();
  await cachedGit(git).state();
  expect(asked).toHaveLength(2);
});

it("git that has no shapes or other repositories has none here", () => {
  const { in: _, shapes: __, ...git } = countingGit().git;
  expect(["in", "shapes"].filter((key) => key in cachedGit(git as Git))).toEqual([]);
});
