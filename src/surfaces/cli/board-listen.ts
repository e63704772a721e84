/** `pawl board --listen`, `--devices` and `--revoke`: the board on the person's other devices. */
import encodeQR from "qr";
import { PawlError } from "../../core/error.ts";
import type { Device } from "../../core/ports/devices.ts";
import type { Answer, BoardListen, Call, Host } from "./line/command.ts";
import { refuseAgent } from "./terminal/person.ts";
import { clean } from "./terminal/terminal.ts";

interface ListenOptions {
  readonly listen?: string | true;
  readonly origin?: string;
  readonly cert?: string;
  readonly key?: string;
}

const HOST = "127.0.0.1";
const PORT = 7295;
const COMMAND = "pawl board --listen";

/** Null: the board serves this machine alone. Throws `usage`, `caller-not-allowed`, `terminal-missing`. */
export function listenIn(host: Host, { options }: Call): BoardListen | null {
  const { cert, key, listen, origin } = options as ListenOptions;
  if (listen === undefined) {
    const [other] = Object.entries({ origin, cert, key }).flatMap(([name, given]) => (given ? [name] : []));
    if (other === undefined) return null;
    throw new PawlError("usage", `--${other} works only with --listen.`, "Add --listen.");
  }
  refuseAgent(host, "serve the board to other devices", COMMAND);
  if (!host.person.terminal.isThere())
    throw new PawlError(
      "terminal-missing",
      "A board that other devices use needs a terminal: only there does Pawl show the code that lets one in.",
      `Run \`${COMMAND}\` in a terminal.`,
    );
  const at = placeOf(listen === true ? "" : listen);
  if ((cert === undefined) !== (key === undefined))
    throw new PawlError(
      "usage",
      "--cert and --key belong together: found one of them.",
      "Name both: --cert FILE --key FILE.",
    );
  const tls = cert !== undefined && key !== undefined ? { cert, key } : null;
  if (tls === null && !isLoopback(at.host)) throw unencryptedError(at.host);
  return { ...at, tls, origin: originOf(origin, at.host, tls !== null) };
}

/** Where `--listen` says. Throws `usage`. */
export function placeOf(given: string): { readonly host: string; readonly port: number } {
  const only = /^\d{1,5}$/.test(given) ? given : undefined;
  const [whole, six, name, digits] =
    /^(?:\[([\da-fA-F:.]+)\]|([A-Za-z\d.-]+))(?::(\d{1,5}))?$/.exec(only === undefined ? given : HOST) ?? [];
  const port = Number(only ?? digits ?? PORT);
  if (given === "") return { host: HOST, port };
  if (whole !== undefined && port <= 65_535) return { host: six ?? name ?? HOST, port };
  throw new PawlError(
    "usage",
    `--listen is ${JSON.stringify(given)}: expected HOST:PORT.`,
    `Name an address of this machine, such as --listen 192.168.1.5:${PORT}; the default is ${HOST}:${PORT}.`,
  );
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function unencryptedError(host: string): PawlError {
  return new PawlError(
    "usage",
    `Without a certificate, everybody on the network of ${host} could read the board and use its cookies. Nothing was served.`,
    "Name your certificate with --cert and --key; or leave the host out and let a tunnel with https lead to the port: --listen --origin https://NAME.",
  );
}

/** Null: that of the host and the port. */
function originOf(given: string | undefined, host: string, isTls: boolean): string | null {
  if (given !== undefined) {
    const url = URL.canParse(given) ? new URL(given) : null;
    if (url?.protocol === "https:" && url.href === `${url.origin}/` && url.hostname !== "") return url.origin;
    throw new PawlError(
      "usage",
      `--origin is ${JSON.stringify(given)}: expected the https address at which devices reach the board, without a path.`,
      "Name it as the browser shows it: --origin https://laptop.example.net.",
    );
  }
  if (!isTls || !/^(?:0\.0\.0\.0|::)$/.test(host)) return null;
  throw new PawlError(
    "usage",
    `${host} is every address of this machine: expected the one name by which devices reach the board.`,
    "Add --origin https://NAME:PORT, with a name of the certificate.",
  );
}

/** Shows the code at the terminal alone: neither in the output, nor in a file. */
export function showInvitation(
  host: Host,
  { address, code }: { readonly address: string; readonly code: string },
): void {
  const picture = encodeQR(address, "ascii", { ecc: "low", border: 2 }).trimEnd().split("\n");
  const page = address.split("#")[0];
  const terminal = host.person.terminal.open();
  terminal?.write(
    `\n${picture.map((line) => `\u001b[97;40m${line}\u001b[0m\n`).join("")}\n` +
      `Scan this with your phone. Or open ${page} there, and type the code:\n\n  ${code}\n\n` +
      "It lets one device in, once, within five minutes. Enter shows another; Ctrl-C stops the board.\n",
  );
  terminal?.close();
}

export async function listDevices(host: Host): Promise<Answer> {
  const devices = (await host.servers.devices()).list();
  const lines = devices.map(
    ({ added, id, name, passkey }) =>
      `${id}  ${added.slice(0, 10)}  ${passkey ? "passkey   " : "no passkey"}  ${clean(name)}\n`,
  );
  const none = "No device may use the board. `pawl board --listen` lets one in.\n";
  const data = devices.map(({ added, id, name, passkey }) => ({
    id,
    name,
    added,
    passkey: passkey !== null,
  }));
  return { text: lines.join("") || none, data: { devices: data } };
}

/** Throws `usage` if no device, or several, have the name or the id. */
export async function revokeDevice(host: Host, wanted: string): Promise<Answer> {
  refuseAgent(host, "revoke a device", `pawl board --revoke ${wanted}`);
  const devices = await host.servers.devices();
  const registered = devices.list();
  const [device, other] = registered.filter(({ id, name }) => id === wanted || name === wanted);
  if (!device || other) throw unknownDeviceError(wanted, registered);
  devices.revoke(device.id);
  await devices.report({
    type: "device:revoked",
    device: device.name,
    from: null,
    how: `by ${host.person.caller().who ?? "a person"}`,
  });
  return {
    text: `${clean(device.name)} may no longer use the board. A page that it has open is closed now.\n`,
    data: { revoked: { id: device.id, name: device.name } },
  };
}

function unknownDeviceError(wanted: string, devices: readonly Device[]): PawlError {
  const names = devices.map(({ id, name }) => `${name} (${id})`).join(", ") || "none";
  return new PawlError(
    "usage",
    `There is no single device ${JSON.stringify(wanted)}: expected one of ${names}.`,
    "Name one of them, by its name or its id.",
  );
}
