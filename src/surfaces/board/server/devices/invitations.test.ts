import { describe, expect, it } from "vitest";
import { promise } from "../../../../../test/rig/promise.ts";
import { INVITATION_LASTS, openInvitations } from "./invitations.ts";

describe("an invitation", () => {
  it("lets one in by the code or the token, once, as people type it", () => {
    promise("board.devices");
    const invitations = openInvitations(() => 0);
    const { code, token } = invitations.make();
    expect(code).toMatch(/^[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}$/);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(invitations.check(` ${code.toLowerCase().replace("-", " ")}`)).toBe("valid");
    expect(invitations.use(token)).toBe(true);
    expect([invitations.use(token), invitations.use(code)]).toEqual([false, false]);
    expect([invitations.check(token), invitations.check(code)]).toEqual(["used", "used"]);
    expect(invitations.check("")).toBe("unknown");
  });

  it("ends after five minutes, and with the next one", () => {
    promise("board.devices");
    let time = 0;
    const invitations = openInvitations(() => time);
    const first = invitations.make();
    const second = invitations.make();
    expect(invitations.check(first.code)).toBe("unknown");
    time = INVITATION_LASTS;
    expect(invitations.check(second.code)).toBe("valid");
    time += 1;
    expect(invitations.check(second.code)).toBe("expired");
    expect(invitations.use(second.token)).toBe(false);
  });
});
