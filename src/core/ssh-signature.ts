/** Reads from an armoured SSH signature how it was made (PROTOCOL.sshsig and PROTOCOL.u2f of OpenSSH). */

const USER_PRESENT = 0x01;

/**
 * Whether the signer touched the key: a hardware key signs this fact too. False for every other key, and for
 * an unreadable signature. Verify the signature before you rely on this.
 */
export function isTouched(armoured: string): boolean {
  try {
    const [, body = ""] =
      /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\n?$/.exec(armoured) ??
      [];
    const bytes = Uint8Array.from(atob(body.replaceAll("\n", "")), (character) => character.charCodeAt(0));
    // The magic, the version; then public key, namespace, reserved, hash algorithm, signature.
    const parts = stringsIn(bytes.subarray("SSHSIG".length + 4), 5);
    const signature = parts[4] ?? new Uint8Array();
    const [type = new Uint8Array(), keyBytes = new Uint8Array()] = stringsIn(signature, 2);
    if (!new TextDecoder().decode(type).startsWith("sk-")) return false;
    const flags = signature[4 + type.length + 4 + keyBytes.length] ?? 0;
    return (flags & USER_PRESENT) !== 0;
  } catch {
    return false;
  }
}

/** The strength of a verdict with this signature. */
export function strengthOfSignature(armoured: string): "signed" | "touched" {
  return isTouched(armoured) ? "touched" : "signed";
}

/** The first strings, each behind its four-byte length. Throws if the bytes end too early. */
function stringsIn(bytes: Uint8Array, count: number): readonly Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const strings: Uint8Array[] = [];
  for (let at = 0; strings.length < count; ) {
    const length = view.getUint32(at);
    if (at + 4 + length > bytes.length) throw new RangeError("It ends too early.");
    strings.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return strings;
}
