/** This machine's desktop. Texts are arguments or variables of a program, never part of a script. */
import type { Notice } from "../../core/notice.ts";
import type { Receiver } from "../../core/ports/notify.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { escaped } from "./chats.ts";
import { type ProgramCall, runProgram } from "./command.ts";

const SESSION = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SYSTEMROOT", "WINDIR"];

export function openDesktop(environment: Environment, root: string): Receiver {
  const allowed = allowedEnvironment(environment, SESSION);
  return {
    name: "desktop",
    send: (notice) =>
      runProgram({ receiver: "desktop", root, ...callFor(process.platform, notice, allowed) }),
  };
}

/** Exported for the tests of other platforms. */
export function callFor(
  platform: NodeJS.Platform,
  notice: Notice,
  environment: Readonly<Record<string, string>>,
): Pick<ProgramCall, "args" | "environment" | "program"> {
  const { title } = notice;
  const body = bodyOf(notice);
  if (platform === "darwin")
    return {
      program: "/usr/bin/osascript",
      args: [...MAC.flatMap((line) => ["-e", line]), title, body],
      environment,
    };
  if (platform === "win32")
    return {
      program: "powershell.exe",
      args: ["-NoProfile", "-NonInteractive", "-Command", WINDOWS],
      environment: { ...environment, PAWL_NOTICE_TITLE: title, PAWL_NOTICE_BODY: body },
    };
  // Desktops show some HTML in the body.
  return { program: "notify-send", args: ["--app-name=Pawl", "--", title, escaped(body)], environment };
}

function bodyOf({ board, command, quote, text }: Notice): string {
  return [text, quote === null ? null : `“${quote}”`, command, board]
    .filter((line) => line !== null)
    .join("\n");
}

const MAC = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];

const WINDOWS = [
  "$m = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]",
  "$x = $m::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)",
  "$t = $x.GetElementsByTagName('text')",
  "[void]$t.Item(0).AppendChild($x.CreateTextNode($env:PAWL_NOTICE_TITLE))",
  "[void]$t.Item(1).AppendChild($x.CreateTextNode($env:PAWL_NOTICE_BODY))",
  "$m::CreateToastNotifier('Pawl').Show([Windows.UI.Notifications.ToastNotification]::new($x))",
].join("; ");
