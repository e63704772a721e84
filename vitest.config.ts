import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "demo/**/*.test.ts"],
    globalSetup: "test/rig/global-setup.ts",
    // It is bundled already.
    server: { deps: { external: [/\/\.rig\//] } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Real processes and real disks, for two cores: the third works while two wait.
    maxWorkers: 3,
  },
});
