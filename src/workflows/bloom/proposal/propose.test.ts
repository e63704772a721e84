import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { PawlError } from "../../../core/error.ts";
import type { AgentEnd, AgentOrder, Agents } from "../../../core/ports/agents.ts";
import type { WorkPorts } from "../../../core/ports/loop.ts";
import { DEFAULT_SETTINGS } from "../../../core/settings.ts";
import { type ProposeOrder, propose } from "./propose.ts";

const GOOD = JSON.stringify({ tasks: [{ id: "a", title: "A", instructions: "Do a" }] });

interface Said {
  readonly text?: string;
  readonly session?: string | null;
  readonly reason?: "model-error";
}

function rig(...said: readonly Said[]) {
  const orders: AgentOrder[] = [];
  const told: string[] = [];
  const start: Agents["start"] = (order) => {
    const { reason, session = "s", text = "" } = said[orders.length] ?? {};
    orders.push(order);
    const facts = { session, text, output: `.pawl/agents/${order.run}`, detail: "broke" };
    const end = (
      reason ? { ...facts, outcome: "failed", reason } : { ...facts, outcome: "succeeded" }
    ) as unknown;
    return { run: order.run, ended: Promise.resolve(end as AgentEnd), stop: async () => end as AgentEnd };
  };
  const agents = { start, missing: (name: string) => (name === "gone" ? "gone is not there." : null) };
  const ports = {
    agents,
    environment: { PAWL_PROJECT: "/p" },
    root: { agentPath: "/p" },
    worktrees: {
      async watchCheckout(repo: string) {
        if (repo === "none") throw new PawlError("repository-missing", "no repository", "make one");
        return async () => ({ files: [{ path: "src/a.ts", at: null }], branches: [] });
      },
    },
  } as unknown as WorkPorts;
  const ask = (more: Partial<ProposeOrder> = {}) =>
    propose(ports, {
      ...{ name: "plan-1", agent: "claude", description: "Log in", after: [], repo: null, tasks: [] },
      settings: { ...DEFAULT_SETTINGS.bloom, budget: { usd: 2, minutes: 5 } },
      stop: new AbortController().signal,
      print: (line) => void told.push(line),
      ...more,
    });
  return { ask, orders, told };
}

describe("An agent that proposes tasks", () => {
  it("only reads, within the limits of a task, and what it changed is told", async () => {
    promise("bloom.plan");
    const { ask, orders, told } = rig({ text: GOOD });
    expect(await ask({ repo: "api" as never })).toMatchObject({
      agent: "claude",
      repo: "api",
      tasks: [{ id: "a" }],
    });
    expect(orders).toMatchObject([
      {
        run: "plan-1.1",
        readOnly: true,
        permission: "ask",
        folder: { agentPath: "/p/api" },
        session: { type: "new" },
        limits: { total: 300_000, usd: 2 },
      },
    ]);
    expect(orders[0]).not.toHaveProperty("task");
    expect(orders[0]?.prompt).toContain("> Log in");
    expect(told.join("\n")).toContain("src/a.ts changed while the agent ran");
  });

  it("is asked once more in its session, with what is wrong; without a session it is told everything again", async () => {
    const { ask, orders } = rig({ text: "Sure!" }, { text: GOOD });
    expect((await ask()).tasks).toHaveLength(1);
    expect(orders[1]).toMatchObject({ run: "plan-1.2", session: { type: "resume", id: "s" } });
    expect(orders[1]?.prompt).toContain("expected one block of JSON, found none");
    expect(orders[1]?.prompt).not.toContain("Log in");
    const other = rig({ text: "Sure!", session: null }, { text: GOOD });
    await other.ask();
    expect(other.orders[1]).toMatchObject({ session: { type: "new" } });
    expect(other.orders[1]?.prompt).toContain("> Log in");
  });

  it("has no third try, and its words can be found", async () => {
    promise("bloom.plan");
    const { ask, orders } = rig({ text: "Sure!" }, { text: "Really!" }, { text: GOOD });
    await expect(ask()).rejects.toMatchObject({
      code: "proposal-invalid",
      fix: expect.stringContaining(".pawl/agents/plan-1.2"),
    });
    expect(orders).toHaveLength(2);
  });

  it("is not started if it, the repository or a named task is missing, and a failed one is told", async () => {
    const { ask, orders } = rig({ reason: "model-error" });
    await expect(ask({ agent: "gone" })).rejects.toMatchObject({ code: "agent-missing" });
    await expect(ask({ repo: "none" as never })).rejects.toMatchObject({ code: "repository-missing" });
    await expect(ask({ after: ["T9"] })).rejects.toMatchObject({ code: "usage" });
    expect(orders).toHaveLength(0);
    await expect(ask()).rejects.toMatchObject({
      code: "agent-failed",
      message: expect.stringContaining("model-error (broke)"),
    });
  });
});
