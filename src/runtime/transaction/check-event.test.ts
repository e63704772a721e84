import { describe, expect, it } from "vitest";
import { door } from "../../../test/rig/lockable.ts";
import { checkEvent, type Owners, takes } from "./check-event.ts";

const run = (state: string) => ({
  ...{ run: "door:front", workflow: door, configuration: { state, variables: { pushes: 1 } } },
});
const fault = (event: string, owners: Owners = {}, state = "open", byEngine = false) => {
  try {
    checkEvent(run(state), event, owners, byEngine);
    return null;
  } catch (thrown) {
    const { code, fix, message } = thrown as { code: string; fix: string; message: string };
    return [code, message, fix];
  }
};

describe("an event", () => {
  it("is taken from anyone unless it is the engine's, or the run is over", () => {
    expect(fault("push")).toBeNull();
    expect(fault("push", { push: "person" })).toBeNull();
    expect(fault("push", { push: "engine" }, "open", true)).toBeNull();
    expect(fault("push", { push: "engine" })?.[0]).toBe("caller-not-allowed");
    expect(fault("push", {}, "gone")?.[0]).toBe("no-effect");
    // The table says it first.
    expect(fault("toString")?.[0]).toBe("usage");
  });

  it("that the table does not have is refused with the nearest, or with all that a caller may send", () => {
    expect(fault("pusch")).toEqual([
      "usage",
      'door has no event "pusch": expected one of push, remove.',
      "Send push. In open it takes push, remove.",
    ]);
    expect(fault("fly", { remove: "engine" })?.slice(1)).toEqual([
      'door has no event "fly": expected one of push.',
      "Send one of push. In open it takes push.",
    ]);
    expect(fault("fly")?.[2]).toContain("Send one of push, remove.");
  });
});

describe("the events that move a run", () => {
  it("are named with those that are a person's, without the engine's", () => {
    expect(takes(run("open"), { push: "person" })).toBe("In open it takes push (a person's), remove.");
    expect(takes(run("open"), { push: "engine" })).toBe("In open it takes remove.");
    expect(takes(run("gone"))).toBe("door:front is in gone, where no event moves it.");
  });
});
