import type { Run } from "./command.ts";

/**
 * A shell's completion script. It calls the program itself, so that the offered runs and tasks are always
 * current.
 */
export const completion: Run = async (_, call) => {
  const shell = call.arguments.shell as keyof typeof SHELLS;
  const script = SHELLS[shell];
  return { text: script, data: { shell, script }, isVerbatim: true };
};

const bash = `# pawl and bloom: completion for bash
_pawl() {
  local IFS=$'\\n' line
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do COMPREPLY+=("$line"); done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _pawl pawl bloom
`;

const zsh = `#compdef pawl bloom
_pawl() {
  local -a found
  local line word description
  for line in "\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=\${line%%$'\\t'*}
    description=\${line#*$'\\t'}
    [[ -n $word ]] && found+=("\${word//:/\\\\:}\${description:+:$description}")
  done
  (( \${#found} )) && _describe -V pawl found || _files
}
compdef _pawl pawl bloom
`;

const fish = `# pawl and bloom: completion for fish
function __pawl_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete $words[2..-1] 2>/dev/null
end
for name in pawl bloom
  complete -c $name -f -a '(__pawl_complete)'
end
`;

const SHELLS = { bash, zsh, fish } as const;
