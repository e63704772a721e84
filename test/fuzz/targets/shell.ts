/** What an assistant gives its shell, as the guard reads it. */
import { readShell } from "../../../src/guard/shell-writes.ts";
import type { Target } from "../target.ts";

const AROUND = { cwd: "/p", home: "/home/dev", isProgram: (path: string) => path.endsWith("main.js") };

export const shell: Target = {
  name: "shell",
  seeds: [
    "echo x > pawl.yaml && git -C . -c a=b commit -m 'x y'",
    "cat <<'EOF' | bash\nsed -i s/a/b/ {c,d}.yaml\nEOF\nF=$(pawl approve x); rm \"$F\" `echo a`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell expands it
    "env -u A -C sub timeout 5 bash -lc \"find . -exec rm {} +\" 2>&1 | tee -a $'b\\x2e' &> ${HOME}/c",
  ],
  run(bytes) {
    const text = Buffer.from(bytes).toString("utf8");
    const { writes } = readShell(text, AROUND);
    for (const { path } of writes)
      if (path === "") throw new Error(`an empty path is written by ${JSON.stringify(text)}`);
  },
};
