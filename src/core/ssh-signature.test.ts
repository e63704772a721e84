import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { isTouched } from "./ssh-signature.ts";

const text = (words: string) => new TextEncoder().encode(words);
const number = (value: number) => new Uint8Array(new Uint32Array([value]).buffer).reverse();
const joined = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
const string = (bytes: Uint8Array) => joined(number(bytes.length), bytes);

/** As `ssh-keygen -Y sign` armours it. */
function armoured(type: string, tail: Uint8Array): string {
  const signature = joined(string(text(type)), string(new Uint8Array(64)), tail);
  const parts = [text("key"), text("pawl-gate-v1"), text(""), text("sha512"), signature];
  const blob = joined(text("SSHSIG"), number(1), ...parts.map(string));
  const lines = btoa(String.fromCharCode(...blob)).match(/.{1,70}/g) ?? [];
  return `-----BEGIN SSH SIGNATURE-----\n${lines.join("\n")}\n-----END SSH SIGNATURE-----\n`;
}

const SK = "sk-ssh-ed25519@openssh.com";
const flags = (value: number) => joined(new Uint8Array([value]), number(7));

describe("A signature", () => {
  it("of a hardware key says whether the key was touched", () => {
    promise("gates.touch");
    expect(isTouched(armoured(SK, flags(0x01)))).toBe(true);
    expect(isTouched(armoured(SK, flags(0x05)))).toBe(true);
    expect(isTouched(armoured(SK, flags(0x04)))).toBe(false);
    expect(isTouched(armoured(SK, flags(0x00)))).toBe(false);
  });

  it("of another key says nothing of it, nor does what is no signature", () => {
    promise("gates.touch");
    expect(isTouched(armoured("ssh-ed25519", flags(0x01)))).toBe(false);
    expect(isTouched(armoured(SK, new Uint8Array()))).toBe(false);
    const cut = armoured(SK, flags(0x01)).replace(/[A-Za-z0-9+/]{40}\n/, "\n");
    for (const each of ["", "what", cut, armoured(SK, flags(0x01)).slice(0, 80), "-".repeat(1_000_000)])
      expect(isTouched(each)).toBe(false);
  });
});
