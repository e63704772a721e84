/** A forge's REST API. */
import { failureOfStatus, HttpFailure } from "../net/failure.ts";
import { openHttp } from "../net/http.ts";
import { askForJson } from "../net/json.ts";
import type { Environment } from "../process/environment.ts";

/** All methods throw `HttpFailure`. `T` is the answer's type by the forge's documentation. */
export interface Rest {
  get<T>(path: string, query?: Query): Promise<T>;
  page<T>(path: string, query: Query): Promise<Page<T>>;
  /** Throws if there are too many pages, since the content of the last ones would be unknown. */
  all<T>(path: string, query?: Query, list?: List<T>): Promise<readonly T[]>;
  send<T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T>;
  text(path: string): Promise<string>;
}

type Query = Readonly<Record<string, string | number>>;

interface List<T> {
  /** The items in an answer that is no list itself. */
  readonly itemsIn?: (answer: never) => readonly T[];
  /** How many pages may be read. */
  readonly most?: number;
}

interface Page<T> {
  readonly items: readonly T[];
  /** Another page follows. */
  readonly more: boolean;
}

export interface RestAccess {
  readonly server: { readonly api: string; readonly token: string };
  readonly environment: Environment;
  /** A signal for one request. */
  request?(): AbortSignal;
}

const MAX_PAGES = 100;

/** `size`: the parameter for a page's size, and its maximum. */
export function openRest(
  { environment, request, server }: RestAccess,
  size: { readonly name: string; readonly most: number },
): Rest {
  const http = openHttp(environment);
  // Every path begins at the configured address: a token follows no link of an answer.
  const at = (path: string, query: Query = {}) => {
    const url = new URL(server.api + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    return url;
  };
  const order = () => ({ headers: { authorization: `Bearer ${server.token}` }, signal: request?.() });
  const read = (path: string, query?: Query) => askForJson(http, at(path, query), order());
  const page = async <T>(path: string, query: Query, { itemsIn }: List<T> = {}) => {
    const { json, headers } = await read(path, { [size.name]: size.most, ...query });
    const items = itemsIn ? itemsIn(json as never) : (json as readonly T[]);
    const link = headers.get("link");
    // Gitea links the pages of some lists, and only counts the entries of others. Some proxies drop long links, and
    // GitLab names the next page, too.
    const total = Number(headers.get("x-total-count") ?? 0);
    const isCounted = items.length > 0 && Number(query.page ?? 1) * items.length < total;
    const isNamed = (headers.get("x-next-page") ?? "") !== "";
    const isLinked = /;\s*rel="?next"?/.test(link ?? "");
    return { items, more: link === null ? isNamed || isCounted : isLinked };
  };
  return {
    get: async <T>(path: string, query?: Query) => (await read(path, query)).json as T,
    page,
    async all<T>(path: string, query: Query = {}, list: List<T> = {}) {
      const { most = MAX_PAGES } = list;
      const found: T[] = [];
      for (let number = 1; number <= most; number++) {
        const { items, more } = await page(path, { ...query, page: number }, list);
        found.push(...items);
        if (!more) return found;
      }
      throw new HttpFailure({ reason: "too-large", detail: `more than ${most * size.most} items` });
    },
    send: async <T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown) =>
      (await askForJson(http, at(path), { ...order(), method, body })).json as T,
    async text(path) {
      const answer = await http(at(path), order());
      if (!answer.ok) throw failureOfStatus(answer.status, answer.headers);
      return answer.text();
    },
  };
}
