/** Splits a comma-separated list of names. */
export function listed(text: string): readonly string[] {
  return text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
}
