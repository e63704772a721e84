/**
 * Signed JSON to an address of the person's, by Standard Webhooks (https://www.standardwebhooks.com): the
 * receiver computes HMAC-SHA256 over `id.timestamp.body` with the shared secret and compares.
 */
import { createHmac } from "node:crypto";
import type { Notice } from "../../core/notice.ts";
import type { Receiver } from "../../core/ports/notify.ts";
import type { Environment } from "../process/environment.ts";
import { post, secretIn } from "./post.ts";

const receiver = "webhook";

export function openWebhook(
  { secret_env, url_env }: { readonly url_env: string; readonly secret_env: string },
  environment: Environment,
): Receiver {
  return {
    name: receiver,
    async send(notice) {
      const secret = secretIn(environment, receiver, secret_env);
      const body = JSON.stringify({ version: 1, ...notice });
      const timestamp = String(Math.floor(Date.now() / 1000));
      const headers = {
        "webhook-id": notice.id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signatureOf(secret, notice, timestamp, body),
      };
      await post({ receiver, variable: url_env, environment, headers, body });
    },
  };
}

function signatureOf(secret: string, { id }: Notice, timestamp: string, body: string): string {
  const key = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
