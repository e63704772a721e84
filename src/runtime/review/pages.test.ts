import { describe, expect, it } from "vitest";
import { resultOrError } from "../../../test/rig/error-texts.ts";
import { NO_FACTS } from "../../../test/rig/review-facts.ts";
import { openMemoryStore } from "../../adapters/memory/memory-store.ts";
import { PawlError } from "../../core/error.ts";
import type { DiffOrder, GitDiff } from "../../core/ports/git.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { WorkflowModule } from "../module.ts";
import type { Project } from "../project.ts";
import { briefOf } from "./brief.ts";
import { gitOf } from "./git-of.ts";
import type { Review } from "./model.ts";
import { openReviews } from "./pages.ts";
import { checkVersion, versionOf } from "./version.ts";

const file = (path: string, isNew: boolean | null = null) => ({
  ...{ path, isNew, added: 1, deleted: 0, item: null },
  ...({ group: "other", isOutside: false, folded: null } as const),
});
const CHANGES: Review["changes"] = {
  ...{
    kind: "changes",
    repo: null,
    base: "main",
    from: "base",
    to: "now",
    lastJudged: "judged",
    untouched: [],
  },
  files: [file("src/a.ts", true), file("logo.png", false)],
  since: [file("src/a.ts", true)],
};
const FACTS = { ...NO_FACTS, run: "a:1", changes: CHANGES };
const REVIEW: Review = { ...FACTS, brief: briefOf(FACTS) };

interface PagesCase {
  readonly review?: Review | null;
  readonly root?: string;
  readonly edits?: object | null;
  readonly diff?: (order: DiffOrder) => GitDiff;
  /** A picture's bytes; absent: this git port has none. */
  readonly blob?: (order: object) => Uint8Array | null;
}

/** A project whose reviews are counted, on a clock that is turned by hand. */
function scene({ review = REVIEW, root = "/shop", edits, diff, blob }: PagesCase = {}) {
  let [now, made] = [Date.UTC(2026, 0, 31), 0];
  const orders: DiffOrder[] = [];
  const shown = (path: string) => ({
    path,
    text: `${path}\n`,
    isBinary: path.endsWith(".png"),
    leftOut: null,
  });
  const usual = (): GitDiff => ({ kind: "diff", files: ["src/a.ts", "logo.png"].map(shown) });
  const plan = {
    run: () => null,
    read: async () => null,
    propose() {
      made++;
      return { reply: review };
    },
  };
  const gate = { review: async () => plan };
  const module = { name: "a", title: "A", summary: "", overview: async () => [], gate };
  const runtime = {
    store: openMemoryStore(),
    settings: async () => DEFAULT_SETTINGS,
    outside: {
      git: {
        async diff(order: DiffOrder) {
          orders.push(order);
          return (diff ?? usual)(order);
        },
        ...(blob && { blob: async (order: object) => blob(order) }),
      },
    },
    now: () => new Date(now),
    newId: () => "id",
    ...(edits === undefined ? {} : { scopeWatch: { find: async () => edits } }),
  };
  const project = {
    ...{ root, runtime, workflows: { a: async () => module as unknown as WorkflowModule } },
  } as unknown as Project;
  return {
    orders,
    project,
    made: () => made,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

const reviews = () =>
  openReviews(async (path, patch) => ({ before: [], after: [[[patch.length, path]]] }) as never);
const WANTED = { path: "src/a.ts", since: false };

describe("the page of a review", () => {
  it("has the review, and what strayed in words", async () => {
    expect(await reviews().page(scene().project, "a:1")).toEqual({ review: REVIEW, strayed: null });
    expect(await reviews().page(scene({ edits: null }).project, "a:1")).toEqual({
      review: REVIEW,
      strayed: null,
    });
    const edits = { run: "a:1", state: "open", files: ["src/b.ts"], tree: null };
    expect(await reviews().page(scene({ edits }).project, "a:1")).toEqual({
      review: REVIEW,
      strayed: 'While a:1 is at "open", where they may not be written, these files changed: src/b.ts.',
    });
    expect(await reviews().page(scene({ review: null, edits }).project, "a:1")).toEqual({
      review: null,
      strayed: null,
    });
  });
});

describe("a file's difference", () => {
  it("is of the review that was read, with its colours", async () => {
    const { made, orders, project } = scene();
    const all = reviews();
    await all.page(project, "a:1");
    expect(await all.diff(project, "a:1", WANTED)).toEqual({
      ...{ path: "src/a.ts", patch: "src/a.ts\n", leftOut: null, isBinary: false },
      colours: { before: [], after: [[[9, "src/a.ts"]]] },
    });
    expect(orders).toEqual([{ from: "base", to: "now", path: "src/a.ts", bytes: 1024 * 1024 }]);
    expect(made()).toBe(1);
    await all.diff(project, "a:1", { path: "src/a.ts", since: true });
    expect([orders.at(-1)?.from, made()]).toEqual(["judged", 1]);
  });

  it("has no colours if it is no text", async () => {
    const found = await reviews().diff(scene().project, "a:1", { path: "logo.png", since: false });
    expect(found).toMatchObject({ path: "logo.png", isBinary: true, colours: null });
  });

  it("is of another review once a minute has passed, or if none was read", async () => {
    const { made, pass, project } = scene();
    const all = reviews();
    await all.diff(project, "a:1", WANTED);
    pass(59_999);
    await all.diff(project, "a:1", WANTED);
    expect(made()).toBe(1);
    pass(1);
    await all.diff(project, "a:1", WANTED);
    expect(made()).toBe(2);
  });

  it("is of this project's run, of the last sixteen that were shown", async () => {
    const all = reviews();
    const [one, other] = [scene(), scene({ root: "/site" })];
    await all.page(one.project, "a:1");
    await all.diff(other.project, "a:1", WANTED);
    expect([one.made(), other.made()]).toEqual([1, 1]);
    for (let run = 2; run <= 15; run++) await all.page(one.project, `a:${run}`);
    await all.diff(one.project, "a:1", WANTED);
    expect(one.made()).toBe(15);
    await all.page(one.project, "a:16");
    await all.diff(one.project, "a:1", WANTED);
    expect(one.made()).toBe(17);
    // Whoever is looked at again is the last one.
    await all.page(one.project, "a:3");
    for (let run = 20; run <= 33; run++) await all.page(one.project, `a:${run}`);
    const before = one.made();
    await all.diff(one.project, "a:3", WANTED);
    expect(one.made()).toBe(before);
  });

  it("is empty if git shows none of a file that is listed", async () => {
    const { project } = scene({ diff: () => ({ kind: "diff", files: [] }) });
    expect(await reviews().diff(project, "a:1", WANTED)).toMatchObject({
      patch: "",
      leftOut: 0,
      isBinary: false,
    });
    expect(await reviews().diff(project, "a:1", { path: "logo.png", since: true })).toMatchObject({
      patch: "",
    });
  });

  const missing = {
    code: "run-missing",
    message: 'The review of a:1 has no file "src/c.ts".',
    fix: "Load the review again: it names the files that it is about.",
  };
  it.each<readonly [string, PagesCase]>([
    ["the review does not name it", {}],
    ["there is no review", { review: null }],
    ["the review is about no files", { review: { ...REVIEW, changes: null } }],
  ])("is refused if %s", async (_, about) => {
    const found = reviews().diff(scene(about).project, "a:1", { path: "src/c.ts", since: false });
    await expect(found).rejects.toMatchObject(missing);
  });

  it("is refused if git cannot show it, with the reason", async () => {
    const { project } = scene({ diff: () => ({ kind: "unavailable", reason: "the commit is gone" }) });
    await expect(reviews().diff(project, "a:1", WANTED)).rejects.toMatchObject({
      code: "git-failed",
      message: "git shows no differences of a:1: the commit is gone.",
      fix: "Look at the files in the project's folder.",
    });
  });
});

describe("a picture of a review", () => {
  const image = { before: 1, after: 2 };
  const files = [{ ...file("new.png"), was: "old.png", image }, { ...file("same.png"), image }, file("a.ts")];
  const since = [{ ...file("back.png"), image }];
  const review = { ...REVIEW, changes: { ...CHANGES, files, since } as Review["changes"] };
  const asked: object[] = [];
  const blob = (order: object) => {
    asked.push(order);
    return new Uint8Array([1]);
  };
  const look = (path: string, side: "before" | "after", about: PagesCase = { review, blob }) =>
    reviews().image(scene(about).project, "a:1", { path, side });

  it("is that before or after, by its name then", async () => {
    for (const [path, side] of [
      ["old.png", "before"],
      ["new.png", "after"],
      ["same.png", "before"],
      ["back.png", "after"],
    ] as const)
      expect(await look(path, side)).toEqual(new Uint8Array([1]));
    expect(asked).toMatchObject([
      { object: "base", path: "old.png", most: expect.any(Number) },
      { object: "now", path: "new.png" },
      { object: "base", path: "same.png" },
      { object: "now", path: "back.png" },
    ]);
    expect((asked[0] as { readonly most: number }).most).toBeGreaterThan(1_000_000);
  });

  it("is none if the review names none of it, or git cannot show it", async () => {
    asked.length = 0;
    for (const [path, side] of [
      ["old.png", "after"],
      ["new.png", "before"],
      ["a.ts", "after"],
      ["/etc/passwd", "after"],
    ] as const)
      expect(await look(path, side)).toBeNull();
    const gone: Review["changes"] = { kind: "unavailable", reason: "" };
    expect(await look("same.png", "after", { review: { ...REVIEW, changes: gone }, blob })).toBeNull();
    expect(await look("same.png", "after", { review: null, blob })).toBeNull();
    const other = { ...review, changes: { ...review.changes, repo: "api" } as Review["changes"] };
    expect(await look("same.png", "after", { review: other, blob })).toBeNull();
    expect(asked).toEqual([]);
    expect(await look("same.png", "after", { review })).toBeNull();
    expect(await look("same.png", "after", { review, blob: () => null })).toBeNull();
  });
});

describe("the work of a run", () => {
  it("is shown whatever the run waits for, and its page for a verdict alone", async () => {
    const inputs: unknown[] = [];
    const { project } = scene();
    const plan = {
      run: () => null,
      read: async (_: unknown, input: unknown) => inputs.push(input),
      propose: () => ({ reply: REVIEW }),
    };
    const module = { name: "a", title: "A", overview: async () => [], gate: { review: async () => plan } };
    const own = { ...project, workflows: { a: async () => module as unknown as WorkflowModule } };
    expect(await reviews().work(own, "a:1")).toMatchObject({ run: "a:1" });
    await reviews().page(own, "a:1");
    expect(inputs).toEqual([{ id: "1", anyState: true }, { id: "1" }]);
  });
});

describe("git in a repository of the project", () => {
  const git = { name: "own" };

  it("is the project's own, or that one's", async () => {
    expect(await gitOf({ git } as never, null)).toBe(git);
    const other = { name: "other" };
    const asked: string[] = [];
    const many = {
      async in(path: string) {
        asked.push(path);
        return other;
      },
    };
    expect(await gitOf({ git: many } as never, "web")).toBe(other);
    expect(asked).toEqual(["web"]);
  });

  it("is told why if it cannot be looked at", async () => {
    expect(await gitOf({ git } as never, "web")).toEqual({ reason: "its work is in the repository web" });
    const failing = (thrown: Error) => ({ git: { in: () => Promise.reject(thrown) } }) as never;
    expect(await gitOf(failing(new PawlError("git-failed", "It is gone.", "Look.")), "web")).toEqual({
      reason: "It is gone.",
    });
    await expect(gitOf(failing(new Error("no")), "web")).rejects.toThrow("no");
    expect(await gitOf(failing(new Error("no")), "../out").catch(() => "thrown")).toMatchObject({
      reason: expect.stringContaining("../out"),
    });
  });
});

describe("the version of a review", () => {
  const JUDGED = {
    ...{ run: "a:1", gate: "a.open", state: "open", round: 1, artifact: null, work: null, at: "1" },
  };

  it("is another if anything of it is another, and nothing else counts", async () => {
    const own = versionOf(JUDGED);
    expect(versionOf({ ...JUDGED, more: 1 } as never)).toBe(own);
    const others = { run: "a:2", gate: "b", state: "x", round: 2, artifact: "h", work: "c", at: "2" };
    for (const [name, value] of Object.entries(others))
      expect(versionOf({ ...JUDGED, [name]: value })).not.toBe(own);
  });

  it("is that which was read, or the verdict is refused", () => {
    checkVersion("a:1", undefined, "v2");
    checkVersion("a:1", "v1", "v1");
    const refused = (read: string, present: string | null) =>
      resultOrError(() => checkVersion("a:1", read, present));
    const fix = "`pawl review a:1` shows what waits now.";
    expect(refused("v1", "v2")).toEqual({
      code: "review-changed",
      message:
        "The review of a:1 that you read is not the present one: what is judged, or the work itself, has changed since. Nothing was changed.",
      fix,
    });
    expect(refused("v1", null)).toEqual({
      code: "review-changed",
      message:
        "The review of a:1 that you read is over: nothing of it waits for a verdict any more. Nothing was changed.",
      fix,
    });
  });
});
