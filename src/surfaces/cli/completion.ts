import type { CommandSpec, Run } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { verbCommands } from "./verb.ts";

/** A shell's completion script: commands, their options, their choices, and runs where a run is named. */
export const completion: Run = async (host, call) => {
  const specs = [...COMMANDS, ...(await verbCommands(host.workflows))];
  const shell = call.arguments.shell as keyof typeof SHELLS;
  const text = SHELLS[shell](host.name, specs);
  return { text, data: { shell, script: text } };
};

const SHELLS = { bash, zsh, fish } as const;

const SHARED = ["--json", "--project", "--help"];

interface Words {
  /** The command's first word. */
  readonly command: string;
  readonly words: readonly string[];
  readonly namesRun: boolean;
}

/** What may follow each first word. */
function wordsOf(specs: readonly CommandSpec[]): readonly Words[] {
  const firsts = [...new Set(specs.map(({ name }) => name.split(" ")[0] ?? name))];
  return firsts.map((command) => {
    const own = specs.filter(({ name }) => name.split(" ")[0] === command);
    const words = own.flatMap((spec) => [
      ...spec.name.split(" ").slice(1),
      ...spec.arguments.flatMap(({ choices }) => choices ?? []),
      ...spec.options.flatMap(({ flags, choices }) => [longFlag(flags), ...(choices ?? [])]),
    ]);
    const namesRun = own.some((spec) => spec.arguments.some(({ name }) => name === "run"));
    return { command, words: [...new Set([...words, ...SHARED])], namesRun };
  });
}

function longFlag(flags: string): string {
  return /--[a-z][a-z-]*/.exec(flags)?.[0] ?? flags;
}

/** The runs' names, asked of the program itself. */
function runsOf(name: string): string {
  return `${name} status --json 2>/dev/null | sed -n 's/^ *"run": "\\(.*\\)",*$/\\1/p'`;
}

function bash(name: string, specs: readonly CommandSpec[]): string {
  const words = wordsOf(specs);
  const cases = words.map(
    (entry) =>
      `    ${entry.command}) words="${entry.words.join(" ")}${entry.namesRun ? ` $(${runsOf(name)})` : ""}" ;;`,
  );
  return `# ${name} completion for bash
_${name}() {
  local words current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    *) words="" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${words.map(({ command }) => command).join(" ")} ${SHARED.join(" ")}"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$current"; fi
}
complete -o default -F _${name} ${name}
`;
}

function zsh(name: string, specs: readonly CommandSpec[]): string {
  const words = wordsOf(specs);
  const cases = words.map(
    (entry) =>
      `    ${entry.command}) compadd -- ${entry.words.join(" ")}${entry.namesRun ? ` \${(f)"$(${runsOf(name)})"}` : ""} ;;`,
  );
  return `#compdef ${name}
_${name}() {
  if (( CURRENT == 2 )); then
    compadd -- ${words.map(({ command }) => command).join(" ")} ${SHARED.join(" ")}
    return
  fi
  case "\${words[2]}" in
${cases.join("\n")}
  esac
}
compdef _${name} ${name}
`;
}

function fish(name: string, specs: readonly CommandSpec[]): string {
  const lines = wordsOf(specs).flatMap(({ command, words, namesRun }) => [
    `complete -c ${name} -n __fish_use_subcommand -a ${command} -d '${summaryOf(specs, command)}'`,
    `complete -c ${name} -n '__fish_seen_subcommand_from ${command}' -a '${words.join(" ")}'`,
    ...(namesRun
      ? [`complete -c ${name} -n '__fish_seen_subcommand_from ${command}' -a "(${runsOf(name)})"`]
      : []),
  ]);
  return `# ${name} completion for fish\ncomplete -c ${name} -f\n${lines.join("\n")}\n`;
}

function summaryOf(specs: readonly CommandSpec[], command: string): string {
  const spec = specs.find(({ name }) => name === command);
  return (spec?.summary ?? "").replaceAll("'", "");
}
