/**
 * The door of other devices (`pawl board --listen`). Their connections may come through a tunnel, so the peer's
 * address proves nothing, and no header that a proxy adds is read.
 *
 * E1  A device comes in with its passkey, with its cookie, or with an invitation that the person at the
 *     terminal shows it: once, within minutes.
 * E2  It reads, answers and rejects. It approves with its passkey alone. All else is done at the machine.
 * E3  Getting in and acting are limited, of one and of all together.
 * E4  Each entrance and refusal is reported. Too many refusals are reported once.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { setCookie } from "hono/cookie";
import { attempt } from "../../../../core/attempt.ts";
import { PawlError } from "../../../../core/error.ts";
import type { DeviceSeen } from "../../../../core/event.ts";
import { hashOf } from "../../../../core/hash.ts";
import { isObject } from "../../../../core/json.ts";
import { type Device, isDeviceName, LONGEST_NAME } from "../../../../core/ports/devices.ts";
import { cleanLine } from "../../../../core/text/clean.ts";
import type { BoardUser, Door } from "../door.ts";
import type { BoardOptions, ListenOptions } from "../options.ts";
import { addAssets, entranceAnswer } from "../page.ts";
import { admitPerson, answer, type GuardOptions, isJson, sessionIn } from "../request-guards.ts";
import { secret } from "../sessions.ts";
import { openInvitations } from "./invitations.ts";
import { openLimit } from "./limit.ts";
import { openPasskeys, type Passkeys } from "./passkeys.ts";
import { COOKIE_LASTS, openDeviceSessions, SESSION_LASTS } from "./sessions.ts";

export interface DeviceDoor extends Door {
  /** What the person at the terminal shows a device; it ends the one before. */
  invite(): { readonly code: string; readonly address: string };
}

const MINUTE = 60_000;
const ENTRANCES = { each: 20, all: 60, window: 5 * MINUTE };
const ACTS = { each: 30, all: 90, window: MINUTE };
const REPORTS = { each: 30, all: 30, window: 5 * MINUTE };
/** Of a request to come in, in bytes. */
const MOST_BYTES = 32 * 1024;
const WAY_IN = "Open the board's address on this device, and come in again.";

export function deviceDoor(
  options: BoardOptions,
  { devices, onSeen }: ListenOptions,
  origin: () => string,
): DeviceDoor {
  const now = Date.now;
  const invitations = openInvitations(now);
  const passkeys = openPasskeys(origin, now);
  const sessions = openDeviceSessions(devices, now);
  const limits = { entrances: openLimit(ENTRANCES, now), acts: openLimit(ACTS, now) };
  const cookie = () => `__Host-pawl_device_${new URL(origin()).port || "443"}`;
  const guards: GuardOptions = {
    ...{ origin, cookie, readOnly: options.readOnly, agentBehind: options.agentBehind, wayIn: WAY_IN },
    sessions: { csrfOf: (given) => sessions.of(given)?.csrf ?? null },
  };
  const sessionOf = (context: Context) => sessions.of(sessionIn(context, cookie));
  const report = reporter(onSeen, now);
  const letIn = (context: Context, device: Device, given: string, how: string) => {
    const maxAge = device.cookie ? COOKIE_LASTS : SESSION_LASTS;
    const strict = { httpOnly: true, secure: true, sameSite: "Strict", path: "/" } as const;
    setCookie(context, cookie(), given, { ...strict, maxAge });
    onSeen({ type: "device:entered", device: device.name, from: peerOf(context), how });
    return context.json({ device: device.name });
  };
  const addDevice = (context: Context, device: Device, how: string) => {
    devices.add(device);
    onSeen({ type: "device:added", device: device.name, from: peerOf(context), how });
  };
  const taken = (name: string) => devices.list().some((device) => device.name === name);
  const entrance: Entrance = { addDevice, devices, invitations, letIn, passkeys, sessions, taken };

  return {
    guards,
    around: [report(sessionOf)],
    invite() {
      const { code, token } = invitations.make();
      // After the #, so that no proxy on the way sees it.
      return { code, address: `${origin()}/enter#${token}` };
    },
    addEntrance(app) {
      app.get("/enter", (context) => entranceAnswer(context, options.files));
      addAssets(app, options.files);
      app.get("/", async (context, next) => {
        if (sessionOf(context) === null) return context.redirect("/enter", 303);
        return next();
      });
      app.use("/enter/*", limitEntrances(limits.entrances), SMALL, admitPerson(guards));
      for (const [name, come] of Object.entries(WAYS))
        app.post(`/enter/${name}`, async (context) => come(context, entrance));
    },
    checks: [checkAct(limits.acts, sessionOf)],
    userOf(context) {
      const session = sessionOf(context);
      if (session === null) throw unknownDevice("its session is over");
      const { device } = session;
      const { caller } = options;
      return {
        caller: {
          ...caller,
          who: `${caller.who ?? "a person"}, on the device ${device.name}`,
          device: device.name,
        },
        device: { name: device.name, passkey: device.passkey !== null },
        passkey: passkeyOf(device, passkeys),
        follow(done, over) {
          const watch = devices.watch(() => {
            if (sessions.isOpen(session)) return;
            watch.close();
            over();
            socketOf(context)?.destroy();
          });
          done.addEventListener("abort", () => watch.close(), { once: true });
        },
      } satisfies BoardUser;
    },
  };
}

// ── Coming in ────────────────────────────────────────────────────────────────────────────────────────────────────

interface Entrance {
  readonly devices: ListenOptions["devices"];
  readonly invitations: ReturnType<typeof openInvitations>;
  readonly passkeys: Passkeys;
  readonly sessions: ReturnType<typeof openDeviceSessions>;
  taken(name: string): boolean;
  addDevice(context: Context, device: Device, how: string): void;
  letIn(context: Context, device: Device, cookie: string, how: string): Response;
}

type Come = (context: Context, entrance: Entrance) => Promise<Response>;

/** By the last part of the address. Each takes JSON. */
const WAYS: Readonly<Record<string, Come>> = {
  /** With an invitation: what the browser is asked to make a passkey. */
  async options(context, { devices, invitations, passkeys, taken }) {
    const { name } = invited(await bodyOf(context), invitations, taken);
    return context.json(await passkeys.registration(name, devices.list()));
  },
  /** With an invitation and the new passkey. */
  async register(context, { addDevice, invitations, letIn, passkeys, sessions, taken }) {
    const body = await bodyOf(context);
    const { name, given } = invited(body, invitations, taken);
    const passkey = await passkeys.register(objectIn(body, "answer"));
    if (passkey === null) throw unknownDevice("its passkey was not made for this board just now");
    if (!invitations.use(given)) throw unknownDevice("its code was used meanwhile");
    const device = newDevice(name, { passkey, cookie: null });
    addDevice(context, device, "with a passkey");
    return letIn(context, device, sessions.open(device), "it was just added");
  },
  /** With an invitation, without a passkey. */
  async cookie(context, { addDevice, invitations, letIn, taken }) {
    const { name, given } = invited(await bodyOf(context), invitations, taken);
    if (!invitations.use(given)) throw unknownDevice("its code was used meanwhile");
    const cookie = secret();
    const until = new Date(Date.now() + COOKIE_LASTS * 1000).toISOString();
    const device = newDevice(name, { passkey: null, cookie: { hash: hashOf(cookie), until } });
    addDevice(context, device, "without a passkey");
    return letIn(context, device, cookie, "it was just added");
  },
  /** What the browser is asked to come in with a passkey. */
  challenge: async (context, { passkeys }) => context.json(await passkeys.challenge({ for: "entrance" })),
  async passkey(context, { devices, letIn, passkeys, sessions }) {
    const answered = objectIn(await bodyOf(context), "answer");
    const device = await passkeys.answered({ for: "entrance" }, answered, devices.list());
    if (device === null) throw unknownDevice("its passkey is none of this board's, or came too late");
    return letIn(context, device, sessions.open(device), "with its passkey");
  },
};

function newDevice(name: string, how: Pick<Device, "cookie" | "passkey">): Device {
  return { id: randomBytes(4).toString("hex"), name, added: new Date().toISOString(), ...how };
}

const REFUSED = {
  used: "its code was used already",
  expired: "its code is too old",
  unknown: "its code is not the one at the terminal",
};

function invited(
  body: Readonly<Record<string, unknown>>,
  invitations: ReturnType<typeof openInvitations>,
  taken: (name: string) => boolean,
): { readonly name: string; readonly given: string } {
  const given = typeof body.secret === "string" ? body.secret.trim() : "";
  const name = typeof body.name === "string" ? body.name.trim() : "";
  const found = invitations.look(given);
  if (found !== "valid") throw unknownDevice(REFUSED[found], NEW_CODE);
  if (!isDeviceName(name))
    throw new PawlError(
      "usage",
      `The device's name is ${JSON.stringify(name.slice(0, 80))}: expected at most ${LONGEST_NAME} letters, digits and spaces.`,
      "Choose a name such as My phone.",
    );
  if (taken(name))
    throw new PawlError(
      "usage",
      `There is a device named ${name} already.`,
      "Choose another name, or revoke that device first: `pawl board --revoke NAME`.",
    );
  return { name, given };
}

const NEW_CODE = "Press Enter in the terminal of `pawl board` for another code.";

function unknownDevice(why: string, fix = WAY_IN): PawlError {
  return new PawlError("board-refused", `The board refused this device: ${why}.`, fix);
}

async function bodyOf(context: Context): Promise<Readonly<Record<string, unknown>>> {
  const text = await context.req.text();
  const body = attempt(() => JSON.parse(text) as unknown, null);
  if (isObject(body)) return body;
  throw new PawlError("usage", "The board got a request that it cannot read.", "Load the page again.");
}

function objectIn(body: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const found = body[name];
  return isObject(found) ? found : {};
}

function limitEntrances(limit: ReturnType<typeof openLimit>): MiddlewareHandler {
  return async (context, next) => {
    if (!limit.take(peerOf(context) ?? ""))
      return answer(context, 429, "too many tried to come in", "Wait for five minutes.");
    if (!isJson(context)) return answer(context, 415, "its body is not application/json");
    context.header("cache-control", "no-store");
    return next();
  };
}

const SMALL = bodyLimit({
  maxSize: MOST_BYTES,
  onError: (context) => answer(context, 413, `it is larger than ${MOST_BYTES} bytes`),
});

// ── Being in ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A verdict, an answer, and the dry run that changes nothing. */
const ALLOWED = /^\/api\/[^/]+\/(?:(?:verdict|answer)\/[^/]+|try)$/;

function checkAct(
  limit: ReturnType<typeof openLimit>,
  sessionOf: (context: Context) => { readonly device: Device } | null,
): MiddlewareHandler {
  return async (context, next) => {
    if (context.req.method !== "POST") return next();
    if (!ALLOWED.test(context.req.path))
      return answer(
        context,
        403,
        "a device reads, answers, approves and rejects, and nothing else",
        "Do that on the board at the machine, or in a terminal.",
      );
    if (!limit.take(sessionOf(context)?.device.id ?? ""))
      return answer(context, 429, "too many verdicts and answers in a minute", "Wait for a minute.");
    return next();
  };
}

function passkeyOf(device: Device, passkeys: Passkeys): NonNullable<BoardUser["passkey"]> {
  const purpose = (hash: string) => ({ for: "approval", device: device.id, hash }) as const;
  return {
    async ask(hash) {
      if (device.passkey) return passkeys.challenge(purpose(hash), device);
      throw new PawlError(
        "verdict-too-weak",
        `The device ${device.name} has no passkey, so it cannot approve. Nothing was changed.`,
        "Approve in a terminal or on the board at the machine. To approve from here, revoke this device and register it with a passkey.",
      );
    },
    async check(hash, assertion = {}) {
      const found = await passkeys.answered(purpose(hash), assertion, [device]);
      if (found !== null) return;
      throw new PawlError(
        "board-refused",
        "The board refused this approval: the passkey's answer is not to this question, was used already, or came too late. Nothing was changed.",
        "Approve again, and confirm on the device within two minutes.",
      );
    },
  };
}

// ── Reports ──────────────────────────────────────────────────────────────────────────────────────────────────────

const REPORTED: ReadonlySet<number> = new Set([400, 401, 403, 409, 421, 429]);

function reporter(onSeen: ListenOptions["onSeen"], now: () => number) {
  const limit = openLimit(REPORTS, now);
  let isQuiet = false;
  const refused = (seen: Omit<DeviceSeen, "type">) => {
    const isFew = limit.take("");
    if (!isFew && isQuiet) return;
    isQuiet = !isFew;
    const how = isFew ? seen.how : "and more, which are not named";
    onSeen({ type: "device:refused", ...seen, how });
  };
  return (sessionOf: (context: Context) => { readonly device: Device } | null): MiddlewareHandler =>
    async (context, next) => {
      const device = attempt(() => sessionOf(context)?.device.name ?? null, null);
      await next();
      const { status } = context.res;
      const isOfOne = device !== null || context.req.method === "POST" || status === 421 || status === 429;
      if (!REPORTED.has(status) || !isOfOne) return;
      const said = await context.res.clone().text();
      const { message } = attempt(() => JSON.parse(said) as { readonly message?: unknown }, {
        message: said,
      });
      const how = cleanLine(typeof message === "string" ? message : said).slice(0, 300);
      refused({ device, from: peerOf(context), how });
    };
}

function socketOf(context: Context) {
  return (context.env as { readonly incoming?: IncomingMessage }).incoming?.socket;
}

/** Behind a tunnel, the tunnel's own address. */
function peerOf(context: Context): string | null {
  return socketOf(context)?.remoteAddress ?? null;
}
