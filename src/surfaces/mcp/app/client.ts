/** What a client says of itself, in either generation of the protocol. */
import { getUiCapability, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/server";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Serving } from "../serving.ts";

export function capabilitiesOf(
  { server }: Pick<Serving, "server">,
  { mcpReq }: ServerContext,
): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()) as
    | ClientCapabilities
    | undefined;
}

/** Whether the client shows apps, and this program has one. */
export function showsApp(serving: Pick<Serving, "app" | "server">, context: ServerContext): boolean {
  return (
    serving.app !== null &&
    getUiCapability(capabilitiesOf(serving, context))?.mimeTypes?.includes(RESOURCE_MIME_TYPE) === true
  );
}
