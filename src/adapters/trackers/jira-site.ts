/**
 * Jira by its REST API: version 3 of the Cloud, whose texts are documents, or version 2 of Data Center, whose
 * texts are wiki markup.
 */

import { HttpFailure, orNull } from "../net/failure.ts";
import { type AtlassianAccess, openSite, type Site } from "./atlassian.ts";
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
  /** Where people read it: a token with scopes is sent to Atlassian's gateway, which shows no page. */
  web(): Promise<string>;
  get(path: string, query?: Readonly<Record<string, string | number>>): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
}

const GATEWAY = "api.atlassian.com";

export function openJiraSite(access: AtlassianAccess): Jira {
  type Info = { readonly baseUrl?: string; readonly deploymentType?: string } | null;
  const infoOf = async ({ get }: Pick<Site, "get">) => (await orNull(get("rest/api/2/serverInfo"))) as Info;
  const site = openSite(
    access,
    async (opened) => ((await infoOf(opened))?.deploymentType ?? "Cloud") === "Cloud",
  );
  const api = async (path: string) => `rest/api/${(await site.isCloud()) ? 3 : 2}/${path}`;
  const get: Jira["get"] = async (path, query) => site.get(await api(path), query);
  return {
    base: site.base,
    isCloud: site.isCloud,
    web: async () =>
      access.address.hostname === GATEWAY ? ((await infoOf(site))?.baseUrl ?? site.base) : site.base,
    get,
    // Sent texts are plain: version 2 takes them unchanged, on both.
    post: async (path, body) =>
      site.post(path.startsWith("search") ? await api(path) : `rest/api/2/${path}`, body),
    async issue(key, fields) {
      const query = { fields: fields.join(","), expand: "renderedFields,names" };
      const issue = (await orNull(get(`issue/${encodeURIComponent(key)}`, query))) as Issue | null;
      if (issue === null || (typeof issue.key === "string" && typeof issue.fields === "object")) return issue;
      throw new HttpFailure({
        reason: "unexpected",
        detail: `${access.address.host} answered without an issue: check that JIRA_BASE_URL is Jira's address`,
      });
    },
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
