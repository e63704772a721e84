/** Names between commas. */
export function listed(text: string): readonly string[] {
  return text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
}
