/** What happens to the network and to workers, dealt from a deck that a seed shuffles. */
import type { Member } from "./crew.ts";
import type { Cluster } from "./database.ts";
import type { Lab } from "./lab.ts";

/** Longer than a lease lasts. */
const LONG = 24_000;
/** Shorter than a worker may go on without a renewal. */
const SHORT = 5_000;

interface Disturbance {
  readonly what: string;
  readonly milliseconds: number;
  /** Returns what ends it. */
  begin(member: Member, scene: DisturbanceContext): () => void;
  /** Whether it can happen to this one; default: to each. */
  readonly fits?: (member: Member) => boolean;
  /** It is worth waiting for somebody whose agent outlasts it. */
  readonly wantsLongWork?: boolean;
}

export interface DisturbanceContext {
  readonly lab: Lab;
  readonly cluster: Pick<Cluster, "ask">;
  readonly crew: readonly Member[];
  /** Holds back what the relay passes on. */
  readonly delay: (milliseconds: number) => void;
  readonly isRelayed: (member: Member) => boolean;
  /** Whether its agent has just begun, and works for longer than anything here lasts. */
  readonly isAtLongWork: (member: Member) => boolean;
  readonly say: (line: string) => void;
}

const times = (milliseconds: number, what: string, begin: Disturbance["begin"]): Disturbance => ({
  what: `${what} for ${milliseconds / 1000} s`,
  milliseconds,
  begin,
});

function dropping(what: "database" | "git", way: "requests" | "answers"): Disturbance["begin"] {
  return ({ machine: { address }, ways }, { lab }) =>
    way === "requests" ? lab.drop(address, ways[what]) : lab.drop(ways[what], address);
}

const cut: Disturbance["begin"] = ({ machine }) => {
  machine.link("down");
  return () => machine.link("up");
};

const standsStill: Disturbance["begin"] = (member) => {
  member.signal("SIGSTOP");
  return () => member.signal("SIGCONT");
};

function deckOf({ isRelayed }: DisturbanceContext): readonly Disturbance[] {
  const delayed = (by: number, milliseconds: number): Disturbance => ({
    ...times(milliseconds, `packets take ${by / 1000} s each way`, (_, { delay }) => {
      delay(by);
      return () => delay(0);
    }),
    fits: isRelayed,
  });
  const dies = times(1_000, "is killed, and begun again", (member) => {
    member.signal("SIGKILL");
    return () => {};
  });
  const ends = times(1_000, "is told to end, and begun again", (member) => {
    member.signal("SIGTERM");
    return () => {};
  });
  const interrupts = times(1_000, "is told to end twice, and begun again", (member) => {
    member.signal("SIGTERM");
    const again = setTimeout(() => member.signal("SIGTERM"), 500);
    return () => clearTimeout(again);
  });
  const disconnects: Disturbance = {
    what: "loses its connections to the database",
    milliseconds: 1_000,
    begin({ machine: { address }, name }, { cluster, say }) {
      // Behind a pooler they are everybody's, and none has an address.
      const end = `select pg_terminate_backend(pid) from pg_stat_activity
        where usename = 'pawl' and (client_addr = '${address}' or client_addr is null)`;
      cluster.ask(end).then(
        ({ length }) => say(`${name} has lost ${length} of them`),
        // No server leads at the moment.
        ({ message }) => say(`${name} has lost none: ${message}`),
      );
      return () => {};
    },
    fits: (member) => !isRelayed(member),
  };
  return [
    ...[SHORT, LONG].flatMap((each) =>
      [
        times(each, "is cut off", cut),
        times(each, "gets no answer of the database", dropping("database", "answers")),
        times(each, "reaches the database no more", dropping("database", "requests")),
        times(each, "stands still", standsStill),
      ].map((card) => ({ ...card, wantsLongWork: each === LONG })),
    ),
    times(LONG, "gets no answer of the git remote", dropping("git", "answers")),
    times(LONG, "reaches the git remote no more", dropping("git", "requests")),
    delayed(200, 20_000),
    delayed(3_000, 10_000),
    ...[dies, dies, disconnects, disconnects, ends, { ...interrupts, wantsLongWork: true }],
  ];
}

/** Deals the whole deck, so many cards at once; `halfway` is called in the middle. */
export async function disturb(
  scene: DisturbanceContext,
  {
    atOnce,
    halfway,
    random,
  }: { readonly atOnce: number; readonly halfway: () => Promise<void>; readonly random: () => number },
): Promise<number> {
  const deck = shuffled(deckOf(scene), random);
  const count = deck.length;
  const busy = new Set<Member>();
  const dealer = async () => {
    for (let next = deck.pop(); next; next = deck.pop()) {
      if (deck.length === count >> 1) await halfway();
      const member = await chosenFor(next, scene, busy, random);
      if (member === undefined) {
        deck.unshift(next);
        await pause(500);
        continue;
      }
      scene.say(`${member.name} ${next.what}`);
      const end = next.begin(member, scene);
      await pause(next.milliseconds);
      end();
      scene.say(`${member.name} no longer ${next.what}`);
      busy.delete(member);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, dealer));
  return count;
}

/** Milliseconds for which a card waits for somebody at long work. */
const PATIENCE = 15_000;

/** Is busy from then on. */
async function chosenFor(
  { fits = () => true, wantsLongWork = false }: Disturbance,
  { crew, isAtLongWork }: DisturbanceContext,
  busy: Set<Member>,
  random: () => number,
): Promise<Member | undefined> {
  const end = performance.now() + (wantsLongWork ? PATIENCE : 0);
  for (;;) {
    const free = crew.filter((each) => !busy.has(each) && fits(each));
    const best = wantsLongWork ? free.filter(isAtLongWork) : [];
    if (best.length > 0 || performance.now() >= end) {
      const among = best.length > 0 ? best : free;
      const member = among[Math.floor(random() * among.length)];
      if (member !== undefined) busy.add(member);
      return member;
    }
    await pause(100);
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}
