import type { Git } from "../../core/ports/git.ts";

/**
 * Git with cached answers: equal queries reach git once. For many reviews that are made together; later queries
 * need another instance.
 */
export function cachedGit(git: Git): Git {
  const answers = new Map<string, Promise<unknown>>();
  const once = <T>(question: string, input: unknown, answer: () => Promise<T>): Promise<T> => {
    const key = JSON.stringify([question, input]);
    const found = (answers.get(key) as Promise<T> | undefined) ?? answer();
    answers.set(key, found);
    return found;
  };
  const { in: other, shapes } = git;
  return {
    ...git,
    ...(other && { in: (repo) => once("in", repo, async () => cachedGit(await other(repo))) }),
    ...(shapes && { shapes: (one, two) => once("shapes", [one, two], () => shapes(one, two)) }),
    state: () => once("state", null, () => git.state()),
    pin: (work) => once("pin", work, () => git.pin(work)),
    snapshot: (order) => once("snapshot", order, () => git.snapshot(order)),
    between: (one, two) => once("between", [one, two], () => git.between(one, two)),
    commits: (base, head) => once("commits", [base, head], () => git.commits(base, head)),
  };
}
