/**
 * Processes that take turns by chance, in virtual time. Whatever one of them does to the shared world is a step: all that
 * could come next wait, and one of them goes on. A schedule is the order of these steps; the seed tells it again.
 */
import type { Clock } from "../../../src/core/ports/clock.ts";

export interface Process {
  readonly name: string;
  alive: boolean;
}

interface Waiting {
  readonly process: Process;
  readonly what: string;
  go(): void;
}

interface Timer extends Waiting {
  readonly at: number;
}

const START = Date.parse("2026-01-01T00:00:00Z");

/** Hashes are made beside the event loop: what follows from a step is over only when they are there. */
let hashing = 0;
const digest = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = async (...input) => {
  hashing += 1;
  try {
    return await digest(...input);
  } finally {
    hashing -= 1;
  }
};

export class Simulator {
  /** How often it waits in a row for the real world (a module that is loaded), where nothing else goes on. */
  static patience = Number.POSITIVE_INFINITY;
  readonly random: () => number;
  readonly trace: string[] = [];
  steps = 0;
  #elapsed = 0;
  #shift = 0;
  #waiting: Waiting[] = [];
  #timers: Timer[] = [];

  constructor(seed: number) {
    this.random = mulberry(seed);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** The process goes on when it is its turn; a dead one never does. */
  step(process: Process, what: string): Promise<void> {
    return new Promise((go) => this.#waiting.push({ process, what, go }));
  }

  /** Calls once, when it is its turn. */
  soon(process: Process, what: string, go: () => void): void {
    this.#waiting.push({ process, what, go });
  }

  after(process: Process, milliseconds: number, what: string, go: () => void): { cancel(): void } {
    const timer = { process, what, go, at: this.#elapsed + milliseconds };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((each) => each !== timer);
      },
    };
  }

  now(): Date {
    return new Date(START + this.#shift + this.#elapsed);
  }

  elapsed(): number {
    return this.#elapsed;
  }

  /** The wall clock is set. */
  jump(milliseconds: number): void {
    this.#shift += milliseconds;
  }

  clock(process: Process): Clock {
    return {
      now: () => this.now(),
      elapsed: () => this.#elapsed,
      after: (milliseconds, then) => this.after(process, milliseconds, "timer", then),
    };
  }

  say(what: string): void {
    this.trace.push(`${String(this.#elapsed).padStart(7)} ms  ${what}`);
  }

  /** Whether a timer goes off within so many milliseconds. */
  isDueWithin(milliseconds: number): boolean {
    return this.#timers.some(({ at, process }) => process.alive && at <= this.#elapsed + milliseconds);
  }

  /**
   * Until it is over. `eachStep` may disturb; `atRest` looks where nothing goes on before time does; `isPatient`: what
   * goes on may also wait for the real world (a module that is loaded).
   */
  async run(hooks: {
    isOver(): boolean;
    eachStep(): void;
    atRest(): void;
    readonly isPatient?: true;
  }): Promise<void> {
    let idle = 0;
    for (;;) {
      // Everything that follows from the last step, up to the next ones.
      do await new Promise((resolve) => setImmediate(resolve));
      while (hashing > 0);
      if (hooks.isOver()) return;
      this.steps += 1;
      hooks.eachStep();
      this.#waiting = this.#waiting.filter(({ process }) => process.alive);
      if (this.#waiting.length > 0 && !(this.chance(0.05) && this.isDueWithin(1000))) {
        const [next] = this.#waiting.splice(this.below(this.#waiting.length), 1) as [Waiting];
        if (next.what !== "") this.say(`${next.process.name}: ${next.what}`);
        next.go();
        continue;
      }
      if (this.#waiting.length === 0) hooks.atRest();
      this.#timers = this.#timers.filter(({ process }) => process.alive);
      const first = this.#timers.reduce<Timer | null>((a, b) => (a === null || b.at < a.at ? b : a), null);
      if (first === null) {
        if (this.#waiting.length > 0) continue;
        idle += 1;
        if (hooks.isPatient && idle < Simulator.patience) {
          this.steps -= 1;
          continue;
        }
        throw new Error("nothing goes on any more, and it is not over");
      }
      idle = 0;
      this.#timers = this.#timers.filter((each) => each !== first);
      this.#elapsed = Math.max(this.#elapsed, first.at);
      first.go();
    }
  }
}

/** Chance that can be told again. */
function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
