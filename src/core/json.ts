/** An untrusted object of any shape: not a list, and not null. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects in a list; none if the value is no list. */
export function objectsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** An agent's JSON: of a line of millions of empty lists, parsing takes half a minute and gigabytes. */
const MAX_VALUES = 300_000;
/** To render what nests deeper may overflow the stack. */
const MAX_DEPTH = 500;

/** Parses JSON of an agent. Throws as `JSON.parse`, and if it holds too many values or nests too deeply. */
export function parseForeign(json: string): unknown {
  let [isText, values, depth] = [false, 0, 0];
  for (let at = 0; at < json.length; at++) {
    const sign = json[at] ?? "";
    if (sign === '"') isText = !isText;
    else if (isText) at += sign === "\\" ? 1 : 0;
    else if ("[{,".includes(sign)) {
      if (sign !== ",") depth++;
      values++;
    } else if ("]}".includes(sign)) depth--;
    if (values > MAX_VALUES) throw new SyntaxError(`JSON has more than ${MAX_VALUES} values`);
    if (depth > MAX_DEPTH) throw new SyntaxError(`JSON nests deeper than ${MAX_DEPTH}`);
  }
  return JSON.parse(json);
}

/** JSON with sorted keys: equal values give equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isObject(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

const LONGEST_LINE = 110;

/** JSON for people: objects over several lines, a list of plain values on one line if it fits. */
export function jsonText(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => jsonText(item, inner));
    const line = `[${items.join(", ")}]`;
    const isPlain = value.every((item) => typeof item !== "object" || item === null);
    if (value.length === 0 || (isPlain && line.length <= LONGEST_LINE)) return line;
    return `[\n${items.map((item) => inner + item).join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return "{}";
  const lines = entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${jsonText(item, inner)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}
