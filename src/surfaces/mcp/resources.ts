/** The workflows' resources: single ones, and templates with one resource per id. */
import {
  type CompleteRequest,
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { toPawlError } from "../../core/error.ts";
import { masked } from "../../core/text/masked.ts";
import type { Resource } from "../../runtime/module.ts";
import { type Runtime, runTransaction } from "../../runtime/transaction/run-transaction.ts";
import type { Connection } from "./connection.ts";

const VARIABLE = /\{(\w+)\}/;
/** The protocol's limit. */
const MAX_COMPLETED = 100;

export function registerResource(connection: Connection, resource: Resource): void {
  const { name, uri, title, description, mimeType, ids } = resource;
  const about = { title, description, mimeType };
  const variable = VARIABLE.exec(uri)?.[1];
  if (variable === undefined || ids === undefined) {
    connection.server.registerResource(name, uri, about, async () => read(connection, resource, uri, {}));
    connection.listings.push(async () => [{ uri, name, ...about }]);
    return;
  }
  connection.templates.set(uri, resource);
  connection.listings.push(async () =>
    (await idsOf(connection, resource)).map((id) => ({
      ...{ ...about, uri: uriFor(uri, id), name: `${name} ${id}`, title: `${title}: ${id}` },
    })),
  );
  const template = new ResourceTemplate(uri, { list: undefined });
  connection.server.registerResource(name, template, about, async (at, values) => {
    const value = values[variable];
    return read(connection, resource, at.href, { [variable]: String(value) });
  });
}

/** The template's resource of this id. */
export function uriFor(template: string, id: string): string {
  return template.replace(VARIABLE, () => id);
}

/** The ids of a template's variable that start with the text typed so far. */
export async function complete(
  connection: Connection,
  { ref, argument }: CompleteRequest["params"],
): Promise<CompleteResult> {
  const resource = ref.type === "ref/resource" ? connection.templates.get(ref.uri) : undefined;
  const isVariable = resource !== undefined && VARIABLE.exec(resource.uri)?.[1] === argument.name;
  const ids = isVariable ? await idsOf(connection, resource) : [];
  const matching = ids.filter((id) => id.toLowerCase().startsWith(argument.value.toLowerCase()));
  const values = matching.slice(0, MAX_COMPLETED);
  return { completion: { values, total: matching.length, hasMore: matching.length > values.length } };
}

async function idsOf({ runtime, work }: Connection, { ids }: Resource): Promise<readonly string[]> {
  return withFix(runtime, () => work.run(async () => (await ids?.(runtime.store.view())) ?? []));
}

async function read(
  { runtime, work }: Connection,
  { transaction: plan, mimeType }: Resource,
  uri: string,
  input: Readonly<Record<string, string>>,
) {
  const { reply } = await withFix(runtime, () =>
    work.run(() => runTransaction(runtime, plan, input, { channel: "mcp" })),
  );
  return { contents: [{ uri, mimeType, text: masked(reply.text, runtime.mask) }] };
}

/** Turns an error into a protocol error that has both lines, and the fix as data, without secrets. */
export async function withFix<T>({ mask }: Pick<Runtime, "mask">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = toPawlError(thrown);
    const { code, fix, message } = masked({ code: error.code, fix: error.fix, message: error.message }, mask);
    const kind = code === "internal" ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
    throw new ProtocolError(kind, `${message}\n${fix}`, { code, fix });
  }
}
