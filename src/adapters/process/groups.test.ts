import { describe, expect, it } from "vitest";
import { isOnlyOf } from "./groups.ts";

const users =
  "root:x:0:0:root:/root:/bin/sh\nme:x:1000:1000::/home/me:/bin/sh\nshe:x:1001:1001::/home/she:/bin/sh\n";
const only = (line: string, more = "") =>
  isOnlyOf(1000, 997, { users: users + more, groups: `she:x:1001:\n${line}\n` });

describe("a group has no others", () => {
  it("if it lists nobody, or this user and root alone", () => {
    expect(only("npm:x:997:me")).toBe(true);
    expect(only("npm:x:997:")).toBe(true);
    expect(only("npm:x:997:root,me")).toBe(true);
  });

  it("but has if it lists another, in a second line too, or is another's own, or is not listed", () => {
    expect(only("npm:x:997:me,she")).toBe(false);
    expect(only("npm:x:997:me\nnvm:x:997:she")).toBe(false);
    expect(only("npm:x:997:me", "it:x:1002:997::/home/it:/bin/sh\n")).toBe(false);
    expect(only("npm:x:997:me,stranger")).toBe(false);
    expect(only("nvm:x:998:me")).toBe(false);
    expect(isOnlyOf(1000, 997, { users: "", groups: "" })).toBe(false);
  });
});
