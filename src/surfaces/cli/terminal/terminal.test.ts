import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { paintStates } from "./state-colour.ts";
import { hasColour, paintOf } from "./terminal.ts";

describe("Colour", () => {
  it.each([
    ["a terminal", {}, true, true],
    ["a pipe", {}, false, false],
    ["a terminal without abilities", { TERM: "dumb" }, true, false],
    ["NO_COLOR", { NO_COLOR: "1" }, true, false],
    ["an empty NO_COLOR", { NO_COLOR: "" }, true, true],
    ["FORCE_COLOR into a pipe", { FORCE_COLOR: "1" }, false, true],
    ["FORCE_COLOR=0", { FORCE_COLOR: "0" }, true, false],
    ["NO_COLOR and FORCE_COLOR", { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
  ])("for %s follows the environment", (_, environment, isTerminal, expected) => {
    promise("cli.readable");
    expect(hasColour(environment, isTerminal)).toBe(expected);
  });

  it("has one meaning for each state, if the state stands alone in a column", () => {
    promise("cli.readable");
    const paint = {
      ...paintOf(false),
      red: (text: string) => `R(${text})`,
      green: (text: string) => `G(${text})`,
    };
    expect(paintStates("blocked  A  x\nB  done  y\nfailed (3)  z\nit is done  now\ndone", paint)).toBe(
      "R(blocked)  A  x\nB  G(done)  y\nR(failed) (3)  z\nit is done  now\nG(done)",
    );
  });
});
