/**
 * Answers the page's requests with the two tools that the client calls for it, and with the nonce of each
 * review that was read.
 */
import type { App } from "@modelcontextprotocol/ext-apps";
import type { Refused, ReviewPage, VerdictOrder } from "../../wire.ts";
import { type Answerer, RefusedError } from "../api.ts";

type CallResult = Awaited<ReturnType<App["callServerTool"]>>;

const NONCE = "pawl/nonce";
/** Milliseconds: inspecting the work, or a check, may take long. */
const TIMEOUT = 180_000;
/** After these errors the review must be read again; they become the board's status for a conflict. */
const CONFLICTS = ["invalid-action", "no-effect", "nonce-refused", "review-changed", "run-unreachable"];

export function answererBy(app: Pick<App, "callServerTool">): Answerer {
  /** By the version of the review. */
  const nonces = new Map<string, string>();
  const call = async (name: string, given: Record<string, unknown>, version?: string) => {
    const result = await app
      .callServerTool({ name, arguments: given }, { timeout: TIMEOUT })
      .catch(throwUnreached);
    const nonce = result._meta?.[NONCE];
    if (version !== undefined && typeof nonce === "string") nonces.set(version, nonce);
    if (result.isError) throw refusedError(result);
    return { data: (result.structuredContent ?? {}) as Record<string, unknown>, nonce };
  };
  return async (address, { body }) => {
    const { pathname, searchParams } = new URL(address, "pawl://client");
    const [, , , page = "", run = ""] = pathname.split("/").map(decodeURIComponent);
    if (page === "verdict") {
      const { digits: _, ...order } = body as VerdictOrder;
      const { version } = order;
      const nonce = nonces.get(version) ?? "";
      nonces.delete(version);
      return (await call("app_verdict", { run, nonce, ...order }, version)).data;
    }
    const named = run === "" ? {} : { run };
    if (page === "diff") {
      const wanted = { path: searchParams.get("path") ?? "", since: searchParams.get("since") === "last" };
      return (await call("app_review", { ...named, ...wanted })).data.diff;
    }
    const { data, nonce } = await call("app_review", named);
    const found = data.page as ReviewPage;
    if (found.review && typeof nonce === "string") nonces.set(found.review.version, nonce);
    return found;
  };
}

function throwUnreached(failure: unknown): never {
  throw new RefusedError(
    {
      code: "client-unreachable",
      message: `The client did not send this to Pawl: ${failure instanceof Error ? failure.message : String(failure)}`,
      fix: "Try again; or decide in a terminal: pawl review",
    },
    0,
  );
}

/** The same two lines as everywhere. If a client passes on no data, its text still has them. */
function refusedError({ content, structuredContent }: CallResult): RefusedError {
  const { data, message } = (structuredContent ?? {}) as {
    readonly message?: unknown;
    readonly data?: Partial<Refused>;
  };
  const [first] = content;
  const [said = "", ...rest] = (first?.type === "text" ? first.text : "").split("\n");
  const code = data?.code ?? "refused";
  const refused = { code, message: String(message ?? said), fix: data?.fix ?? rest.join("\n") };
  return new RefusedError(refused, CONFLICTS.includes(code) ? 409 : 400);
}
