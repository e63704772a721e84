/** What is mutated, by which tests alone the mutants are to be killed, and which share of them. */
export interface Area {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Percent of the mutants. */
  readonly aim: number;
  /** Leaves out what runs only when a module is loaded: its tests are too dear to be run in full for each of these. */
  readonly ignoreStatic?: true;
}

const code = (folder: string): readonly string[] => [`${folder}/**/*.ts`, `!${folder}/**/*.test.ts`];

export const AREAS: Readonly<Record<string, Area>> = {
  // Without the properties over random tables: they take seconds, and what they alone would notice no one would understand.
  engine: { mutate: code("src/engine"), tests: ["src/engine/!(*.property).test.ts"], aim: 95 },
  runtime: {
    mutate: code("src/runtime"),
    tests: ["src/runtime/**/*.test.ts"],
    aim: 85,
  },
  store: {
    mutate: code("src/adapters/files"),
    // Without what takes seconds: processes that strike, and folders that are swapped for links. And without the test that
    // imports the hashes anew, which only Vitest can.
    tests: ["src/adapters/files/**/!(swapped|*-between-processes|hash).test.ts", "test/mutation/store.ts"],
    aim: 85,
    ignoreStatic: true,
  },
  scheduler: {
    mutate: [...code("src/scheduler"), ...code("src/workflows/bloom/scheduler")],
    tests: [
      "src/scheduler/*.test.ts",
      "src/workflows/bloom/scheduler/*.test.ts",
      "test/mutation/scheduler.ts",
    ],
    aim: 85,
    ignoreStatic: true,
  },
};
