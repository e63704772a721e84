/** Confluence on loopback, as reading a page needs it: the Cloud's REST API, version 2, or a Data Center's. */
import { DATA_CENTER, isAtlassianUser } from "./jira-server.ts";
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

  /** Below no context path; its pages have keys such as `SPACE/Title`, too. */
  static async openDataCenter(pages: Readonly<Record<string, ConfluencePage>>): Promise<ConfluenceServer> {
    const server = new ConfluenceServer((asked) => answerOfDataCenter(asked, pages));
    return server.listen();
  }
}

function answerOfDataCenter(asked: LoopbackRequest, pages: Readonly<Record<string, ConfluencePage>>): Answer {
  if (asked.headers.authorization !== `Bearer ${DATA_CENTER.token}`) return { status: 401, json: {} };
  const shown = ({ body, title }: ConfluencePage) => ({
    type: "page",
    title,
    body: asked.query.get("expand") === "body.export_view" ? { export_view: { value: body } } : {},
  });
  if (asked.path === "/rest/api/content") {
    const page = pages[`${asked.query.get("spaceKey")}/${asked.query.get("title")}`];
    return { json: { results: page ? [shown(page)] : [] } };
  }
  const page = pages[/^\/rest\/api\/content\/(\d+)$/.exec(asked.path)?.[1] ?? ""];
  if (page) return { json: shown(page) };
  return { status: 404, json: { statusCode: 404, message: "No content found with id" } };
}

function answerTo(asked: LoopbackRequest, pages: Readonly<Record<string, ConfluencePage>>): Answer {
  if (!isAtlassianUser(asked)) return { status: 401, json: { message: "Unauthorized" } };
  const [, kind, id = ""] = /^\/wiki\/api\/v2\/(pages|blogposts)\/(\d+)$/.exec(asked.path) ?? [];
  const page = pages[id];
  if (!page || (kind === "blogposts") !== (page.isPost ?? false))
    return { status: 404, json: { errors: [{ status: 404, code: "NOT_FOUND", title: "Not Found" }] } };
  const format = asked.query.get("body-format");
  const body = format ? { [format]: { representation: format, value: page.body } } : {};
  return { json: { id, status: "current", title: page.title, spaceId: "1", body } };
}
