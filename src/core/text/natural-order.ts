/**
 * Puts TS-2 before TS-10: digits compare as numbers, everything else by character code. For `sort`; loads no
 * locale data.
 */
export function naturalOrder(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const order = compare(left[at] ?? "", right[at] ?? "");
    if (order !== 0) return order;
  }
  return left.length - right.length || compareText(one, other);
}

function partsOf(text: string): readonly string[] {
  return text.match(/\d+|\D+/g) ?? [];
}

function compare(one: string, other: string): number {
  const [left, right] = [one.replace(/^0+(?=\d)/, ""), other.replace(/^0+(?=\d)/, "")];
  const areNumbers = /^\d/.test(left) && /^\d/.test(right);
  return areNumbers && left.length !== right.length ? left.length - right.length : compareText(left, right);
}

/** By character code. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
