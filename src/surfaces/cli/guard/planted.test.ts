import { expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { isRefusal } from "./planted.ts";

const REASON = "Pawl refuses writing pawl.yaml";

it.each([
  [0, JSON.stringify({ permission: "deny", user_message: REASON }), "", true],
  [
    0,
    JSON.stringify({ hookSpecificOutput: { permissionDecision: "deny", reason: REASON } }),
    "npm warn\n",
    true,
  ],
  [2, "", REASON, true],
  [2, "", "the hook could not start", false],
  [127, "", "sh: pawl: not found", false],
  [1, JSON.stringify({ decision: "deny", reason: REASON }), "", false],
  [0, JSON.stringify({ permission: "allow", file: "pawl.yaml" }), "", false],
  [0, `${REASON}: deny`, "", false],
  [0, "", "", false],
  [null, "", "spawn failed: pawl.yaml", false],
])(
  "an answer refuses only in a form that clients take, and for the planted file: %s %s %s",
  (code, out, err, is) => {
    promise("guard.canary");
    expect(isRefusal({ code, out, err })).toBe(is);
  },
);
