import { defineConfig } from "vitest/config";

const STORIES = ["{src,test,demo}/**/*.story.test.ts"];
const PROOFS = ["{src,test,demo}/**/*.proof.test.ts"];
const CHECKS = ["test/checks/*.test.ts"];
/** Functions without a process, a disk or a clock of their own. */
const PURE = [
  "src/{core,engine,runtime,scheduler,tasks-file,workflows,config,guard,surfaces,services,app}/**/*.test.ts",
];
const OTHERS = [...STORIES, ...PROOFS, ...CHECKS];
/** A scratch state home and the commit's seed; with programs, also the rig's programs and the board's pages. */
const SCRATCH = "test/rig/scratch-setup.ts";
const PROGRAMS = "test/rig/global-setup.ts";

export default defineConfig({
  test: {
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
          exclude: [...OTHERS, ...PURE],
          globalSetup: PROGRAMS,
          isolate: false,
        },
      },
      // Each worker loads the modules once, for all of its files.
      {
        extends: true,
        test: { name: "quick-pure", include: PURE, exclude: OTHERS, globalSetup: SCRATCH, isolate: false },
      },
      // What the source, the pages and the lists say of themselves.
      { extends: true, test: { name: "checks", include: CHECKS, globalSetup: SCRATCH, isolate: false } },
      // One for each capability, with real processes, shells, browsers and the built program.
      { extends: true, test: { name: "stories", include: STORIES, globalSetup: PROGRAMS } },
      // By exhaustion, by crashes and by hostile hands.
      { extends: true, test: { name: "proofs", include: PROOFS, globalSetup: PROGRAMS } },
    ],
  },
});
