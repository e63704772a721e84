import { expect, it } from "vitest";
import { lazyPort } from "./lazy-port.ts";

interface Greeting {
  greet(name: string): Promise<string>;
}

it("loads at the first call, once, and again if that failed", async () => {
  let loads = 0;
  const port = lazyPort<Greeting>(async () => {
    loads += 1;
    if (loads === 1) throw new Error("not yet");
    return { greet: async (name) => `hello ${name}, ${loads}` };
  });
  // An `await` of the port must not load it.
  expect(await Promise.resolve(port)).toBe(port);
  expect(loads).toBe(0);
  await expect(port.greet("a")).rejects.toThrow("not yet");
  expect([await port.greet("a"), await port.greet("b")]).toEqual(["hello a, 2", "hello b, 2"]);
});
