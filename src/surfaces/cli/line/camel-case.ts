/** The name under which a value is passed on: `dry-run` as `dryRun`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
