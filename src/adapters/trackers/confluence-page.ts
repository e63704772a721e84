import { createClient } from "confluence.js/core";
import { getPageById } from "confluence.js/v2";
import { type AtlassianAccess, clientOf, within } from "./atlassian.ts";
import { renderHtml } from "./markdown.ts";

/**
 * Fetches a page with its title, as markdown. Reads Confluence's REST API, version 2, in the form that Confluence
 * renders.
 */
export async function fetchPage(access: AtlassianAccess, page: string): Promise<string> {
  const client = createClient(clientOf(access));
  const found = await within(
    access.limit,
    getPageById(client, { id: Number(page), bodyFormat: "export_view" }),
  );
  const body = (found.body ?? {}) as Readonly<Record<string, { readonly value?: string } | undefined>>;
  const html = body.export_view?.value ?? body.view?.value ?? body.storage?.value ?? "";
  return `# ${found.title ?? `Page ${page}`}\n\n${renderHtml(html)}`.trim();
}
