/** Other servers of MCP that a bench is told of: `--peer NAME=COMMAND`, and `--call NAME=TOOL[:JSON]` for a call of one of its tools. */
import { parseArgs } from "node:util";

export interface Peer {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly call: { readonly tool: string; readonly given: object } | null;
}

export function peersOf(argv: readonly string[]): {
  readonly positionals: readonly string[];
  readonly peers: readonly Peer[];
} {
  const many = { type: "string", multiple: true, default: [] as string[] } as const;
  const { positionals, values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { peer: many, call: many },
  });
  const calls = new Map(values.call.map(named));
  const peers = values.peer.map((given) => {
    const [name, command] = named(given);
    const [program = "", ...args] = command.split(" ").filter(Boolean);
    const call = calls.get(name);
    calls.delete(name);
    const [, tool = "", json = "{}"] = /^([^:]+)(?::(.*))?$/s.exec(call ?? "") ?? [];
    return { name, program, args, call: call === undefined ? null : { tool, given: JSON.parse(json) } };
  });
  if (calls.size > 0)
    throw new Error(`--call names a peer that no --peer does: ${[...calls.keys()].join(", ")}`);
  return { positionals, peers };
}

function named(given: string): readonly [string, string] {
  const at = given.indexOf("=");
  if (at < 1 || at === given.length - 1) throw new Error(`${given}: expected NAME=…`);
  return [given.slice(0, at), given.slice(at + 1)];
}
