/**
 * Stryker's runner of tests: imports the tests once, in its own process, and runs for each mutant only those that reach it,
 * the quick ones first. Vitest, which starts a thread and imports everything again for each mutant, takes a quarter of
 * a second for each; this takes what the tests take.
 */
import { chmodSync, globSync } from "node:fs";
import { registerHooks } from "node:module";
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
} from "@stryker-mutator/api/test-runner";
import { type CollectedTest, collect } from "./collect.ts";

/** What Stryker's mutated code looks at. */
interface Switch {
  activeMutant?: string;
  currentTestId?: string;
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: NonNullable<Extract<DryRunResult, { tests: unknown }>["mutantCoverage"]>;
}
const COLLECT = new URL("./collect.ts", import.meta.url).href;

class InProcessRunner implements TestRunner {
  readonly #switch: Switch;
  readonly #sandbox = `${pathToFileURL(process.cwd()).href}/`;
  #generation = 0;
  #tests: CollectedTest[] = [];
  /** Milliseconds that each test took without a mutant. */
  #times = new Map<string, number>();

  constructor() {
    const scope = globalThis as unknown as { __stryker__?: Switch };
    scope.__stryker__ ??= {};
    this.#switch = scope.__stryker__;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    // Some tests start programs as another user, who may not read Stryker's folder.
    chmodSync(process.cwd(), 0o755);
    forgetBetweenTests();
    registerHooks({
      resolve: (specifier, context, next) => {
        const own =
          context.parentURL?.startsWith(this.#sandbox) && !context.parentURL.includes("/node_modules/");
        if (own && specifier === "vitest") return { url: COLLECT, shortCircuit: true };
        const found = next(specifier, context);
        const again = this.#generation > 0 && found.url.startsWith(this.#sandbox) && !found.url.includes("?");
        return again && !found.url.includes("/node_modules/")
          ? { ...found, url: `${found.url}?${this.#generation}` }
          : found;
      },
    });
    this.#tests = await this.#load();
  }

  async dryRun(): Promise<DryRunResult> {
    const tests: (TestResult & { timeSpentMs: number })[] = [];
    for (const test of this.#tests) {
      forget();
      this.#switch.currentTestId = test.id;
      const begun = performance.now();
      const failure = await failureOf(test);
      const timeSpentMs = performance.now() - begun;
      delete this.#switch.currentTestId;
      const result = { id: test.id, name: test.id, fileName: resolve(test.file), timeSpentMs };
      tests.push(
        failure === null
          ? { ...result, status: TestStatus.Success }
          : { ...result, status: TestStatus.Failed, failureMessage: failure },
      );
    }
    this.#times = new Map(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]));
    this.#tests.sort((one, other) => this.#timeOf(one) - this.#timeOf(other));
    const { mutantCoverage } = this.#switch;
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage ? { mutantCoverage } : {}) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, testFilter, hitLimit, mutantActivation } = options;
    delete this.#switch.mutantCoverage;
    this.#switch.hitCount = 0;
    if (hitLimit === undefined) delete this.#switch.hitLimit;
    else this.#switch.hitLimit = hitLimit;
    this.#switch.activeMutant = activeMutant.id;
    forget();
    try {
      const wanted = testFilter && new Set(testFilter);
      const tests = mutantActivation === "static" ? await this.#reload() : this.#tests;
      let nrOfTests = 0;
      for (const test of tests) {
        if (wanted && !wanted.has(test.id)) continue;
        nrOfTests += 1;
        const limit = SHORTEST_LIMIT + LIMIT_FACTOR * this.#timeOf(test);
        const failure = await Promise.race([failureOf(test), passed(limit)]);
        if (failure === LATE) return { status: MutantRunStatus.Timeout, reason: `${test.id} never ended.` };
        if (failure !== null && (this.#switch.hitCount ?? 0) > (hitLimit ?? Number.POSITIVE_INFINITY))
          return { status: MutantRunStatus.Timeout, reason: "The mutant ran too often." };
        if (failure !== null)
          return { status: MutantRunStatus.Killed, killedBy: [test.id], failureMessage: failure, nrOfTests };
      }
      return { status: MutantRunStatus.Survived, nrOfTests };
    } catch (thrown) {
      // A file that cannot be imported any more: every test of it fails.
      const id = this.#tests[0]?.id ?? "";
      return { status: MutantRunStatus.Killed, killedBy: [id], failureMessage: String(thrown), nrOfTests: 1 };
    } finally {
      delete this.#switch.activeMutant;
    }
  }

  #timeOf({ id }: CollectedTest): number {
    return this.#times.get(id) ?? 0;
  }

  /** Everything imported again, with the mutant in it, beside what was imported before; in the same order. */
  async #reload(): Promise<readonly CollectedTest[]> {
    this.#generation += 1;
    const order = new Map(this.#tests.map(({ id }, at) => [id, at]));
    const tests = await this.#load();
    return tests.sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  }

  async #load(): Promise<CollectedTest[]> {
    const tests: CollectedTest[] = [];
    const patterns: readonly string[] = JSON.parse(process.env.PAWL_MUTATION_TESTS ?? "[]");
    for (const name of globSync(patterns).sort()) {
      const query = this.#generation > 0 ? `?${this.#generation}` : "";
      const url = `${pathToFileURL(resolve(name)).href}${query}`;
      tests.push(...(await collect(relative(".", name), () => import(url))));
    }
    return tests;
  }
}

const LATE = Symbol("late");
/** Milliseconds. A test that waits for what the mutant prevents ends here, long before the limit of all tests together. */
const SHORTEST_LIMIT = 3_000;
const LIMIT_FACTOR = 20;

function passed(limit: number): Promise<typeof LATE> {
  return new Promise((done) => setTimeout(done, limit, LATE).unref());
}

async function failureOf(test: CollectedTest): Promise<string | null> {
  try {
    await test.run();
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

const filled = new Set<{ forget(): void }>();

function forget(): void {
  for (const each of filled) each.forget();
  filled.clear();
}

/** What modules remember of objects would be one test's or mutant's result in the next one. */
function forgetBetweenTests(): void {
  const Native = WeakMap;
  globalThis.WeakMap = class<Key extends WeakKey, Value> extends Native<Key, Value> {
    #known = new Native<Key, Value>();
    override get(key: Key) {
      return this.#known.get(key);
    }
    override has(key: Key) {
      return this.#known.has(key);
    }
    override delete(key: Key) {
      return this.#known.delete(key);
    }
    override set(key: Key, value: Value) {
      filled.add(this);
      this.#known.set(key, value);
      return this;
    }
    forget() {
      this.#known = new Native();
    }
  };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "in-process", InProcessRunner)];
