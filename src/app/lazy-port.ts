import { once } from "../core/once.ts";

type Method = (...given: never[]) => Promise<unknown>;

/**
 * A port whose adapter is loaded at the first call. Each of its members is a method that returns a promise.
 */
export function lazyPort<Port extends { readonly [Name in keyof Port]: Method }>(
  load: () => Promise<Port>,
): Port {
  const opened = once(load);
  return new Proxy({} as Port, {
    get(_, name) {
      // An `await` of the port itself reads `then`.
      if (name === "then") return undefined;
      return async (...given: never[]) => (await opened())[name as keyof Port](...given);
    },
  });
}
