import type { ReceiverStatus, ReceiverTest } from "../../../runtime/project.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { refuseAgent } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";
import { hung } from "../terminal/text-width.ts";

/** Lists the receivers of notices and their status; with `--test`, sends a notice to each. */
export const notify: Run = async (host, { options }) => {
  const { notices, root } = await host.projects.open();
  const receivers = await notices.receivers();
  if (receivers.length === 0)
    return {
      text: "No receiver yet: `notify` in pawl.yaml names them.\n",
      data: { project: root, receivers },
    };
  if (options.test !== true) {
    const lines = receivers.flatMap((each) => receiverLines(each.name, statusLines(each), host));
    return { text: lines.join(""), data: { project: root, receivers } };
  }
  refuseAgent(host, "send a test", "pawl config notify --test");
  return tested(await notices.test(), root, host);
};

function tested(tests: readonly ReceiverTest[], project: string, host: Host): Answer {
  const lines = tests.flatMap(({ error, name }) =>
    receiverLines(name, error === null ? ["sent"] : [error.message, error.fix], host),
  );
  const results = tests.map(({ error, name }) => ({
    name,
    sent: error === null,
    ...(error === null ? {} : { error: { code: error.code, message: error.message, fix: error.fix } }),
  }));
  return {
    text: lines.join(""),
    data: { project, receivers: results },
    ...(tests.some(({ error }) => error !== null) ? { exit: 1 as const } : {}),
  };
}

/** The receiver's status, obstacles first. */
function statusLines({ memory, trusted, unset }: ReceiverStatus): readonly string[] {
  return [
    ...(trusted ? [] : ["not trusted: nothing is sent before you agree, with `pawl trust`"]),
    ...unset.map((name) => `$${name} is not set here`),
    ...(memory?.fault ? [`${memory.fault.time}: ${memory.fault.message}`] : []),
    memory?.sent ? `last sent ${memory.sent}` : "nothing sent yet",
  ];
}

const NAME_WIDTH = 10;

function receiverLines(name: string, lines: readonly string[], { terminal: { columns } }: Host) {
  return lines.flatMap((line, at) =>
    hung((at === 0 ? name : "").padEnd(NAME_WIDTH), clean(line), columns).map((each) => `${each}\n`),
  );
}
