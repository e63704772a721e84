/**
 * Jira by its REST API: version 3 of the Cloud, whose texts are documents, or version 2 of Data Center, whose
 * texts are wiki markup.
 */
import { type AtlassianAccess, openSite, orNull, type Site } from "./atlassian.ts";
import { renderDocument } from "./document.ts";
import { renderHtml } from "./html.ts";
import { renderWiki } from "./wiki-markup.ts";

/** An issue's fields differ by site. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Issue {
  readonly key?: string;
  readonly fields?: Fields;
  readonly renderedFields?: Fields;
  readonly names?: Readonly<Record<string, string>>;
}

export interface Jira extends Pick<Site, "base" | "isCloud"> {
  /** An issue with its rendered fields. Null: it does not exist. `fields`: their names, or `*all`. */
  issue(key: string, fields: readonly string[]): Promise<Issue | null>;
  get(path: string, query?: Readonly<Record<string, string | number>>): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
}

export function openJiraSite(access: AtlassianAccess): Jira {
  const site = openSite(access, async ({ get }) => {
    const info = (await orNull(get("rest/api/2/serverInfo"))) as { deploymentType?: string } | null;
    return (info?.deploymentType ?? "Cloud") === "Cloud";
  });
  const api = async (path: string) => `rest/api/${(await site.isCloud()) ? 3 : 2}/${path}`;
  const get: Jira["get"] = async (path, query) => site.get(await api(path), query);
  return {
    base: site.base,
    isCloud: site.isCloud,
    get,
    // Sent texts are plain: version 2 takes them unchanged, on both.
    post: async (path, body) =>
      site.post(path.startsWith("search") ? await api(path) : `rest/api/2/${path}`, body),
    issue: async (key, fields) =>
      (await orNull(
        get(`issue/${encodeURIComponent(key)}`, {
          fields: fields.join(","),
          expand: "renderedFields,names",
        }),
      )) as Issue | null,
  };
}

/**
 * A text of an issue as markdown: the Cloud's document, which is the richest; otherwise the server's rendered
 * HTML; otherwise the markup. `rendered`: the same field as HTML.
 */
export function richText(rendered: unknown, text: unknown): string {
  if (hasContent(text)) return renderDocument(text);
  if (typeof rendered === "string" && rendered.trim() !== "") return renderHtml(rendered);
  return typeof text === "string" ? renderWiki(text) : "";
}

function hasContent(text: unknown): boolean {
  const { content } = (typeof text === "object" && text !== null ? text : {}) as { content?: unknown };
  return Array.isArray(content) && content.length > 0;
}
