import { defineConfig } from "vitest/config";

/** The tests of one area, without the build that the whole suite begins with. */
export default defineConfig({
  test: { include: (process.env.PAWL_MUTATION_TESTS ?? "").split(","), testTimeout: 60_000 },
});
