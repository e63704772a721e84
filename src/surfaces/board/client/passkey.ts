/** Asks the device's passkey, by the browser. */
import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import type { Refused } from "../wire.ts";
import { RefusedError } from "./api.ts";

type Json = Readonly<Record<string, unknown>>;

/** Why this page can use no passkey; null: it can. */
export function whyNoPasskey(): string | null {
  if (!isSecureContext) return "Passkeys need https.";
  if (/^[\d.]+$|:/.test(location.hostname)) return "Passkeys need a name, not the number of an address.";
  if (!("PublicKeyCredential" in globalThis)) return "This browser has no passkeys.";
  return null;
}

export async function makePasskey(options: Json): Promise<Json> {
  return fromDevice(startRegistration({ optionsJSON: options as never }));
}

export async function askPasskey(options: Json): Promise<Json> {
  return fromDevice(startAuthentication({ optionsJSON: options as never }));
}

async function fromDevice(answer: Promise<object>): Promise<Json> {
  try {
    return { ...(await answer) };
  } catch (failure) {
    throw new RefusedError({ ...UNANSWERED, message: `${UNANSWERED.message} (${messageOf(failure)})` }, 0);
  }
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

const UNANSWERED: Refused = {
  code: "board-passkey",
  message: "The passkey did not answer. Nothing was changed.",
  fix: "Try again, and confirm on this device.",
};
