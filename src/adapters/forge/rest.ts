/** A forge's REST API, for forges without a client of their own. */
import { failureOfStatus } from "../net/failure.ts";
import { openHttp } from "../net/http.ts";
import { askForJson } from "../net/json.ts";
import type { RequestSetup } from "./forge-api.ts";
import { everyPage, hasNext, type Page } from "./pages.ts";

/** All methods throw `HttpFailure`. `T` is the answer's type by the forge's documentation. */
export interface Rest {
  get<T>(path: string, query?: Query): Promise<T>;
  page<T>(path: string, query: Query): Promise<Page<T>>;
  /** Throws if there are too many pages. */
  all<T>(path: string, query?: Query): Promise<readonly T[]>;
  post<T>(path: string, body: unknown): Promise<T>;
  text(path: string): Promise<string>;
}

type Query = Readonly<Record<string, string | number>>;

/** `size`: the parameter for a page's size, and its maximum. */
export function openRest(
  { environment, request, server }: RequestSetup,
  size: { readonly name: string; readonly most: number },
): Rest {
  const http = openHttp(environment);
  // Every path begins at the configured address: a token follows no link of an answer.
  const at = (path: string, query: Query = {}) => {
    const url = new URL(server.api + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    return url;
  };
  const headers = { authorization: `Bearer ${server.token}` };
  const read = (path: string, query?: Query) =>
    askForJson(http, at(path, query), { headers, signal: request() });
  const page = async <T>(path: string, query: Query) => {
    const { json, headers: answered } = await read(path, { [size.name]: size.most, ...query });
    const items = json as readonly T[];
    const link = answered.get("link");
    // Gitea links the pages of some lists, and only counts the entries of others. Some proxies drop long links, and
    // GitLab names the next page, too.
    const total = Number(answered.get("x-total-count") ?? 0);
    const isCounted = items.length > 0 && Number(query.page ?? 1) * items.length < total;
    const isNamed = (answered.get("x-next-page") ?? "") !== "";
    return { items, more: link === null ? isNamed || isCounted : hasNext(link) };
  };
  return {
    get: async <T>(path: string, query?: Query) => (await read(path, query)).json as T,
    page,
    all: <T>(path: string, query: Query = {}) =>
      everyPage((number) => page<T>(path, { ...query, page: number })),
    post: async <T>(path: string, body: unknown) =>
      (await askForJson(http, at(path), { headers, body, signal: request() })).json as T,
    async text(path) {
      const answer = await http(at(path), { headers, signal: request() });
      if (!answer.ok) throw failureOfStatus(answer.status, answer.headers);
      return answer.text();
    },
  };
}
