import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { buildApp } from "../../scripts/build-app.ts";
import { buildBoard } from "../../scripts/build-board.ts";
import { buildLocks } from "../../scripts/build-locks.ts";
import { bundle, bundleApart } from "../../scripts/bundle.ts";
import { MAIN } from "./project.ts";
import scratch from "./scratch-setup.ts";

/** Bundles the rig's programs as the product is bundled: they start fast, and tests see what bundling does. */
export default async function setup(): Promise<void> {
  scratch();
  await rm(dirname(MAIN), { recursive: true, force: true });
  const programs = {
    main: "test/rig/main.ts",
    inside: "test/rig/inside.ts",
    "alfred-hand-in": "test/rig/alfred-hand-in.ts",
    "bloom-loop": "test/rig/bloom-loop.ts",
    "send-notices": "src/app/send-notices.ts",
    "export-telemetry": "src/app/export-telemetry.ts",
  };
  const small = {
    "acp-agent": "test/rig/acp-agent.ts",
    "bloom-agent": "test/rig/bloom-agent.ts",
    "scripted-agent": "src/adapters/agents/scripted/agent.ts",
    forward: "src/adapters/wall/forward.ts",
    "end-runs": "src/adapters/agents/supervisor/end-runs.ts",
  };
  // Where a program that runs from its sources looks for its pages, and for the native part.
  const dist = resolve(import.meta.dirname, "../../dist");
  await Promise.all([
    bundle(programs, dirname(MAIN)),
    bundleApart(small, dirname(MAIN)),
    buildBoard(join(dist, "board")),
    buildApp(join(dist, "app")),
    buildLocks(dist),
  ]);
}
