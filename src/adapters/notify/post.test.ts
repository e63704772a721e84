import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { mayReach, post } from "./post.ts";

describe("An address", () => {
  it.each([
    "10.0.0.1",
    "172.16.9.9",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "127.0.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1",
  ])("%s is not reached over https", (address) => {
    promise("notices.addresses");
    expect(mayReach(address, true)).toBe(false);
  });

  it.each(["93.184.216.34", "2606:2800:220:1::1", "172.15.0.1", "172.32.0.1", "100.128.0.1"])(
    "%s is, and not over http",
    (address) => {
      expect(mayReach(address, true)).toBe(true);
      expect(mayReach(address, false)).toBe(false);
    },
  );

  it("is reached over http only on this machine", () => {
    for (const own of ["127.0.0.1", "127.9.9.9", "::1"]) expect(mayReach(own, false)).toBe(true);
    expect(mayReach("192.168.1.1", false)).toBe(false);
  });

  it.each([
    ["https://localhost:9/path-of-a-secret", "Pawl does not send to its address"],
    ["https://[::ffff:127.0.0.1]/path-of-a-secret", "Pawl does not send to its address"],
    ["https://2130706433/path-of-a-secret", "Pawl does not send to its address"],
    ["http://10.0.0.1/path-of-a-secret", "Pawl does not send to its address"],
    ["file:///path-of-a-secret", "is not an address that begins with https"],
    ["path-of-a-secret", "is not an address that begins with https"],
  ])("%s is refused, wherever its name leads, and not shown", async (address, why) => {
    promise("notices.addresses");
    const sent = post({
      receiver: "slack",
      variable: "MY_WEBHOOK",
      environment: { MY_WEBHOOK: address },
      body: "{}",
    });
    await expect(sent).rejects.toMatchObject({
      code: "notice-unsent",
      message: expect.stringContaining(why),
    });
    await expect(sent).rejects.not.toThrow(/path-of-a-secret/);
  });
});
