/** The events of a store that is no folder, as a log: positions count its characters. */
import { EVENTS } from "../../core/event.ts";
import type { EventLog, LogEntry } from "../../core/ports/event-log.ts";
import type { Store } from "../../core/ports/store.ts";
import { hasAny } from "../events/event-line.ts";

const GENERATION = "store";

/** `watch` calls back after each commit through this process. */
export function openStoreLog(store: Store, watch: EventLog["watch"]): EventLog {
  const text = async () => (await store.view().read(EVENTS)) ?? "";
  return {
    async position() {
      const end = endOf(await text());
      return end === 0 ? null : { generation: GENERATION, end };
    },
    async read({ generation, from, containing }) {
      if (generation !== GENERATION) return null;
      const whole = await text();
      const next = Math.max(from, endOf(whole));
      return {
        entries: linesIn(whole, from, next).filter(({ text: line }) => hasAny(line, containing)),
        next,
        isAll: true,
      };
    },
    async readBack({ before, limit }) {
      const whole = await text();
      const end = endOf(whole.slice(0, before));
      return linesIn(whole, 0, end).slice(-limit).reverse();
    },
    watch,
  };
}

/** The end of the last whole line. */
function endOf(text: string): number {
  return text.lastIndexOf("\n") + 1;
}

/** The whole lines between two ends of lines. */
function linesIn(text: string, from: number, end: number): readonly LogEntry[] {
  let at = from;
  const lines = text.slice(from, end).split("\n").slice(0, -1);
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return { text: line, start, end: at };
  });
}
