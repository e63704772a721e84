let crypto: typeof import("node:crypto") | undefined;

/** sha-256 in hexadecimal. Its module is loaded on first use: who only reads does not pay. */
export function hashOf(data: string | Uint8Array): string {
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto.hash("sha256", data, "hex");
}
