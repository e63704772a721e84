import { defineConfig } from "vitest/config";

const SLOW = ["{src,test,demo}/**/*.slow.test.ts"];
/** Functions without a process, a disk or a clock of their own. */
const PURE = ["src/{core,engine,runtime,tasks-file,workflows,config,guard,surfaces,app}/**/*.test.ts"];

export default defineConfig({
  test: {
    globalSetup: "test/rig/global-setup.ts",
    setupFiles: "test/rig/random-cases.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Real processes and real disks, for two cores: the third works while two wait.
    maxWorkers: 3,
    // It is bundled already.
    server: { deps: { external: [/\/\.rig\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: "quick",
          include: ["{src,test,demo}/**/*.test.ts"],
          exclude: [...SLOW, ...PURE],
          isolate: false,
        },
      },
      // Each worker loads the modules once, for all of its files.
      { extends: true, test: { name: "quick-pure", include: PURE, exclude: SLOW, isolate: false } },
      // Proofs by exhaustion, by crashes and by hostile hands; real shells and terminals; the built program.
      { extends: true, test: { name: "slow", include: SLOW } },
    ],
  },
});
