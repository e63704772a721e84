/** Who may not write everywhere. */

/** Root may, unless it gives that right away. */
const WITHOUT_THE_RIGHT =
  process.getuid?.() === 0
    ? [
        "setpriv",
        "--bounding-set=-dac_override,-dac_read_search",
        "--inh-caps=-dac_override,-dac_read_search",
      ]
    : [];

/** The program and its arguments as one calls them whom the modes of files and folders hold back, root too. */
export function asPlainUser(...words: readonly string[]): [program: string, args: string[]] {
  const [program = "", ...args] = [...WITHOUT_THE_RIGHT, ...words];
  return [program, args];
}
