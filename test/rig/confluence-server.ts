/**
 * Confluence on loopback, as reading a page needs it: the Cloud's REST API, version 2 (compared with Atlassian's OpenAPI
 * description), or a Data Center's, with the errors that clients have recorded.
 */
import { basic, DATA_CENTER, isAtlassianUser } from "./jira-server.ts";
import { type Answer, Loopback, type LoopbackRequest } from "./loopback.ts";

export interface ConfluencePage {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  readonly isPost?: true;
}

export class ConfluenceServer extends Loopback {
  static async open(pages: Readonly<Record<string, ConfluencePage>>): Promise<ConfluenceServer> {
    const server = new ConfluenceServer((asked) => answerTo(asked, pages));
    return server.listen();
  }

  /** Below no context path; its pages have keys such as `SPACE/Title` or `SPACE/2026/01/02/Title`, too. */
  static async openDataCenter(pages: Readonly<Record<string, ConfluencePage>>): Promise<ConfluenceServer> {
    const server = new ConfluenceServer((asked) => answerOfDataCenter(asked, pages));
    return server.listen();
  }
}

const PASSWORD = basic(DATA_CENTER.user, DATA_CENTER.password);

/** Below `data`, as every error of version 1. */
function refusal(statusCode: number, message: string, reason: string): Answer {
  const data = { authorized: false, valid: true, allowedInReadOnlyMode: true, errors: [], successful: false };
  return { status: statusCode, json: { statusCode, data, message, reason } };
}

function answerOfDataCenter(asked: LoopbackRequest, pages: Readonly<Record<string, ConfluencePage>>): Answer {
  const { headers, path, query } = asked;
  const { authorization } = headers;
  if (authorization !== `Bearer ${DATA_CENTER.token}` && authorization !== PASSWORD)
    return {
      status: 401,
      headers: { "x-seraph-loginreason": "AUTHENTICATED_FAILED" },
      json: { message: "Client must be authenticated to access this resource.", "status-code": 401 },
    };
  const shown = ({ body, isPost, title }: ConfluencePage) => ({
    id: "7",
    type: isPost ? "blogpost" : "page",
    status: "current",
    title,
    body:
      query.get("expand") === "body.export_view"
        ? { export_view: { value: body, representation: "export_view" } }
        : {},
    _links: { webui: "/display/x", base: "http://x", context: "" },
  });
  if (path === "/rest/api/content") {
    const [space, title] = [query.get("spaceKey"), query.get("title")];
    if (!Object.keys(pages).some((key) => key.startsWith(`${space}/`)))
      return refusal(404, `No space with key : ${space}`, "Not Found");
    // A blog post is found by its type and day.
    const isPost = query.get("type") === "blogpost";
    const day = isPost ? `${query.get("postingDay")?.replaceAll("-", "/")}/` : "";
    const page = pages[`${space}/${day}${title}`];
    const results = page && (page.isPost ?? false) === isPost ? [shown(page)] : [];
    return { json: { results, start: 0, limit: 25, size: results.length, _links: { base: "http://x" } } };
  }
  const [, id] = /^\/rest\/api\/content\/(\d+)$/.exec(path) ?? [];
  if (id === undefined)
    return { status: 404, headers: { "content-type": "text/html" }, text: "<html>Page Not Found</html>" };
  const page = pages[id];
  return page
    ? { json: shown(page) }
    : refusal(404, `No content found with id: ContentId{id=${id}}`, "Not Found");
}

const FORBIDDEN = `com.atlassian.confluence.mvc.rest.common.exception.StacklessResponseStatusException: 403 FORBIDDEN "Request rejected because caller cannot access Confluence"`;

function answerTo(asked: LoopbackRequest, pages: Readonly<Record<string, ConfluencePage>>): Answer {
  if (!isAtlassianUser(asked)) return refusal(403, FORBIDDEN, "Forbidden");
  const [, kind, id = ""] = /^\/wiki\/api\/v2\/(pages|blogposts)\/(\d+)$/.exec(asked.path) ?? [];
  const page = pages[id];
  if (!page || (kind === "blogposts") !== (page.isPost ?? false))
    return {
      status: 404,
      json: { errors: [{ status: 404, code: "NOT_FOUND", title: "Not Found", detail: null }] },
    };
  const format = asked.query.get("body-format");
  const body = format ? { [format]: { representation: format, value: page.body } } : {};
  return { json: { id, status: "current", title: page.title, spaceId: "1", body } };
}
