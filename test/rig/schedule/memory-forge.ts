/** A forge in memory: opens pull requests, and says what became of them; a test merges, closes, and lets it fail. */
import type {
  ForgeFailure,
  PullRequestOrder,
  PullRequests,
  Returned,
} from "../../../src/core/ports/pull-requests.ts";

export interface MemoryForge extends PullRequests {
  readonly pulls: MemoryPull[];
  /** How often a pull request was looked at. */
  looks(): number;
  /** What it answers next, in place of an answer. */
  readonly failures: ForgeFailure[];
  /** From here on it says nothing, until its caller gives up. */
  fallSilent(): void;
}

export interface MemoryPull extends PullRequestOrder {
  readonly number: number;
  kind: "open" | "closed" | "merged";
  /** What stands against it. */
  returned?: Returned;
}

export function memoryForge(): MemoryForge {
  const pulls: MemoryPull[] = [];
  const failures: ForgeFailure[] = [];
  let looks = 0;
  let silent = false;
  const failure = async (stop: AbortSignal | undefined): Promise<ForgeFailure | undefined> => {
    if (!silent) return failures.shift();
    await new Promise<void>((resolve) => stop?.addEventListener("abort", () => resolve()));
    return { kind: "unreachable", reason: "nobody waited for the answer" };
  };
  const urlOf = (number: number) => `https://forge.example/pull/${number}`;
  return {
    pulls,
    failures,
    looks: () => looks,
    fallSilent() {
      silent = true;
    },
    async ensure(order, stop) {
      const failed = await failure(stop);
      if (failed) return failed;
      const known = pulls.findLast((pull) => pull.branch === order.branch && pull.number !== order.inPlaceOf);
      if (known && known.kind !== "open")
        return { kind: known.kind, number: known.number, url: urlOf(known.number) };
      const number = known?.number ?? pulls.length + 1;
      if (!known) pulls.push({ ...order, number, kind: "open" });
      return { kind: known ? "found" : "opened", number, url: urlOf(number) };
    },
    async inspect({ number, returns }, stop) {
      looks += 1;
      const failed = await failure(stop);
      if (failed) return failed;
      const pull = pulls.find((each) => each.number === number);
      if (pull?.kind === "merged") return { kind: "merged", head: "merged" };
      if (pull?.kind !== "open") return { kind: "closed" };
      return { kind: "open", ...(returns && pull.returned ? { returned: pull.returned } : {}) };
    },
  };
}
