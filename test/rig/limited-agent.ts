/** Says as claude does that its account is limited for an hour, while a file says so; else it commits. */
export function limitedAgent(flags: string): string {
  const line = (value: unknown) => `echo '${JSON.stringify({ ...(value as object), session_id: "s" })}'`;
  const info = { status: "rejected", resetsAt: Math.floor(Date.now() / 1000) + 3600 };
  const end = { type: "result", subtype: "success", num_turns: 1, total_cost_usd: 0, usage: {} };
  return `#!/bin/sh
[ "$1" = --version ] && { echo "2.1.332 (Claude Code)"; exit; }
cat > /dev/null
${line({ type: "system", subtype: "init" })}
if [ -e ${flags}/limited ]; then
  printf x >> ${flags}/asked
  ${line({ type: "rate_limit_event", rate_limit_info: info })}
  ${line({ ...end, is_error: true, api_error_status: 429, result: "limit" })}
  exit 1
fi
echo $$ > $$.txt; git add -A; git commit -qm work
${line({ ...end, is_error: false, result: "done" })}
`;
}
