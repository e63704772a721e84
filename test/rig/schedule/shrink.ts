import { type Played, play, type Schedule, smaller } from "./play.ts";

const SHOWN_STEPS = 80;
const MAX_TRIES = 300;

/** The smallest schedule found that has a fault, as a text: how to play it again, its faults and its last steps. */
export async function shrink(schedule: Schedule): Promise<string> {
  let least = schedule;
  let played = await play(least);
  let tries = 0;
  for (let found = true; found; ) {
    found = false;
    for (const candidate of seeded(least)) {
      tries += 1;
      if (tries > MAX_TRIES) return failureText(least, played);
      const again = await play(candidate);
      if (again.faults.length === 0 || again.steps >= played.steps) continue;
      [least, played, found] = [candidate, again, true];
      break;
    }
  }
  return failureText(least, played);
}

const SEEDS = 30;

/** What is cut changes the order of all that follows: some other orders of the smaller one are tried too. */
function* seeded(schedule: Schedule): Generator<Schedule> {
  for (const each of smaller(schedule))
    for (let n = 0; n < SEEDS; n++) yield { ...each, seed: each.seed + n * 1_000_003 };
}

function failureText(schedule: Schedule, { faults, trace, steps }: Played): string {
  return [
    `seed ${schedule.seed}: ${JSON.stringify(schedule)}`,
    ...faults,
    `(${steps} steps; the last of them:)`,
    ...trace.slice(-SHOWN_STEPS),
  ].join("\n");
}
