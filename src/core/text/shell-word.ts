/** Quotes a word for a POSIX shell, whatever it contains. */
export function shellWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
