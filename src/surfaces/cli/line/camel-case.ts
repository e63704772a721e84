/** The name of an argument or option in a call: `dry-run` becomes `dryRun`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
