/** The same pages with hostile words in every text: they must neither run, nor hide, nor break the layout. */
const EVIL = [
  `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`,
  "\u001b[2J\u001b]0;owned\u0007\u001b[31mred",
  "\u202eevil\u2066 \u200b\u00ad",
  "javascript:document.title='owned'",
  "w".repeat(3_000),
].join(" ");

/** Keys by which the page finds its way, and values that are of a closed set. */
const KEPT = new Set([
  "project",
  "run",
  "version",
  "csrf",
  "key",
  "kind",
  "verdict",
  "since",
  "time",
  "state",
  "group",
  "path",
  "from",
  "to",
  "awaits",
  "column",
  "cause",
  "sha256",
  "strength",
  "day",
  "hash",
  "id",
  "dependsOn",
]);

export function hostile<T>(value: T, key = ""): T {
  if (typeof value === "string") return (KEPT.has(key) ? value : `${value} ${EVIL}`) as T;
  if (Array.isArray(value)) return value.map((each) => hostile(each, key)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each, name)])) as T;
}

export const HOSTILE_PATCH = `diff --git a/x b/x
@@ -1,3 +1,4 @@ <script>document.title='owned'</script>
 if (level != "user\u202e \u2066// Check if admin\u2069 \u2066") {
-<img src=x onerror="document.title='owned'">\r
+\u001b[31m${"long ".repeat(400_000)}
+\u0000\u0007\u200b\ufeff
 }
`;
