/** Confluence Cloud's REST API, version 2, as reading a page needs it. */
import { isAtlassianUser } from "./jira-server.ts";
import { type Answer, type Asked, Loopback } from "./loopback.ts";

export interface ConfluencePage {
  readonly title: string;
  /** HTML. */
  readonly body: string;
}

export class ConfluenceServer extends Loopback {
  static async open(pages: Readonly<Record<string, ConfluencePage>>): Promise<ConfluenceServer> {
    const server = new ConfluenceServer((asked) => answerTo(asked, pages));
    return server.listen();
  }
}

function answerTo(asked: Asked, pages: Readonly<Record<string, ConfluencePage>>): Answer {
  if (!isAtlassianUser(asked)) return { status: 401, json: { message: "Unauthorized" } };
  const [, id = ""] = /^\/wiki\/api\/v2\/pages\/(\d+)$/.exec(asked.path) ?? [];
  const page = pages[id];
  if (!page)
    return { status: 404, json: { errors: [{ status: 404, code: "NOT_FOUND", title: "Not Found" }] } };
  const format = asked.query.get("body-format");
  const body = format ? { [format]: { representation: format, value: page.body } } : {};
  return { json: { id, status: "current", title: page.title, spaceId: "1", body } };
}
