/** The server's data for a page: requested once, and again after each event that concerns it. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { BoundedMap } from "../../../core/bounded-map.ts";
import type { Refused, ShownEvent } from "../wire.ts";
import { get, refusedOf } from "./api.ts";
import { inBursts } from "./bursts.ts";
import { onEvent } from "./live.ts";

export interface Resource<T> {
  /** The last answer; null: none yet. It stays while a newer one is loading. */
  readonly data: T | null;
  readonly problem: Refused | null;
  readonly reload: () => Promise<void>;
}

/** The last answers, so that a page that is opened again shows the old data at once until the new arrives. */
const cache = new BoundedMap<string, unknown>(30);

interface Answer<T> {
  readonly path: string;
  readonly data: T | null;
  readonly problem: Refused | null;
}

/** `path` null: requests nothing. */
export function useResource<T>(path: string | null, concerns: (event: ShownEvent) => boolean): Resource<T> {
  const [answer, setAnswer] = useState<Answer<T> | null>(null);
  const current = useRef(path);
  current.current = path;
  const concern = useRef(concerns);
  concern.current = concerns;

  const load = useCallback(async (): Promise<void> => {
    if (path === null) return;
    try {
      const data = await get<T>(path);
      cache.set(path, data);
      if (current.current === path) setAnswer({ path, data, problem: null });
    } catch (failure) {
      if (current.current !== path) return;
      const problem = refusedOf(failure);
      setAnswer((was) => ({ path, data: was?.path === path ? was.data : null, problem }));
    }
  }, [path]);

  useEffect(() => {
    if (path === null) return undefined;
    void load();
    const often = inBursts(load);
    const stop = onEvent((event) => {
      if (event === null || concern.current(event)) often.ask();
    });
    return () => {
      stop();
      often.stop();
    };
  }, [path, load]);

  const isCurrent = answer !== null && answer.path === path;
  const data = isCurrent ? answer.data : path === null ? null : ((cache.get(path) as T | undefined) ?? null);
  return { data, problem: isCurrent ? answer.problem : null, reload: load };
}
