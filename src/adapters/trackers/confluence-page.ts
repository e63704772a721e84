import { HttpFailure, orNull } from "../net/failure.ts";
import { type AtlassianAccess, openSite, type Site } from "./atlassian.ts";
import { renderHtml } from "./html.ts";

interface Page {
  readonly title?: string;
  readonly body?: { readonly export_view?: { readonly value?: string } };
}

/**
 * Fetches a page or a blog post with its title, as markdown, in the form that Confluence renders: by version
 * 2 of the Cloud's REST API, or by Data Center's. `page`: its id, or `SPACE/Title` as in Data Center's
 * addresses, with the day before a blog post's title.
 */
export async function fetchPage(access: AtlassianAccess, page: string): Promise<string> {
  const site = openSite(access, async () => true);
  const cloudPage = (await site.isCloud()) && /^\d+$/.test(page) ? await ofCloud(site, page) : null;
  const { body = {}, title = `Page ${page}` } =
    cloudPage ?? (await ofDataCenter(site, page)) ?? missing(access, page);
  return `# ${title}\n\n${renderHtml(body.export_view?.value ?? "")}`.trim();
}

/** The Cloud is below `/wiki`, which an address may leave out. */
async function ofCloud({ base, get }: Site, id: string): Promise<Page | null> {
  const root = base.endsWith("/wiki") ? "" : "wiki/";
  for (const kind of ["pages", "blogposts"]) {
    const page = await orNull(get(`${root}api/v2/${kind}/${id}`, { "body-format": "export_view" }));
    if (page !== null) return page as Page;
  }
  return null;
}

async function ofDataCenter({ get }: Site, page: string): Promise<Page | null> {
  const expand = "body.export_view";
  if (/^\d+$/.test(page)) return (await orNull(get(`rest/api/content/${page}`, { expand }))) as Page | null;
  const [, spaceKey = "", day, title = ""] = /^([^/]*)\/(?:(\d{4}\/\d\d\/\d\d)\/)?(.*)$/s.exec(page) ?? [];
  const post = day === undefined ? {} : { type: "blogpost", postingDay: day.replaceAll("/", "-") };
  const { results = [] } = (await get("rest/api/content", { spaceKey, title, ...post, expand })) as {
    results?: readonly Page[];
  };
  return results[0] ?? null;
}

function missing({ address }: AtlassianAccess, page: string): never {
  throw new HttpFailure({ reason: "not-found", detail: `${address.host} has no page ${page}` });
}
