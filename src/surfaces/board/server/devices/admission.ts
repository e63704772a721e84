/**
 * Admits other devices (`pawl board --listen`). Their connections may come through a tunnel, so the peer's
 * address proves nothing, and no header that a proxy adds is read.
 *
 * E1  A device signs in with its passkey, with its cookie, or with an invitation that the person at the
 *     terminal shows it. An invitation works once, within minutes.
 * E2  A device reads, answers and rejects. It approves only with its passkey. Everything else is done at the
 *     machine.
 * E3  Sign-ins and actions are limited, for each device and for all together.
 * E4  Each sign-in and each refusal is reported. Too many refusals are reported once.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { setCookie } from "hono/cookie";
import { attempt } from "../../../../core/attempt.ts";
import { PawlError } from "../../../../core/error.ts";
import type { DeviceEvent } from "../../../../core/event.ts";
import { hashOf } from "../../../../core/hash.ts";
import { isObject } from "../../../../core/json.ts";
import { type Device, isDeviceName, LONGEST_NAME } from "../../../../core/ports/devices.ts";
import { cleanLine } from "../../../../core/text/clean.ts";
import type { BoardUser, RequestAdmission } from "../admission.ts";
import type { BoardOptions, ListenOptions } from "../options.ts";
import { addAssets, entranceAnswer } from "../page.ts";
import { admitPerson, answer, type GuardOptions, isJson, sessionIn } from "../request-guards.ts";
import { secret } from "../sessions.ts";
import { openInvitations } from "./invitations.ts";
import { openLimit } from "./limit.ts";
import { openPasskeys, type Passkeys } from "./passkeys.ts";
import { COOKIE_LASTS, openDeviceSessions, SESSION_LASTS } from "./sessions.ts";

export interface DeviceAdmission extends RequestAdmission {
  /** Makes an invitation for the person at the terminal to show. It ends the previous one. */
  invite(): { readonly code: string; readonly address: string };
}

const MINUTE = 60_000;
const SIGN_INS = { each: 20, all: 60, window: 5 * MINUTE };
const ACTS = { each: 30, all: 90, window: MINUTE };
const REPORTS = { each: 30, all: 30, window: 5 * MINUTE };
/** Maximum bytes of a sign-in request. */
const MAX_BYTES = 32 * 1024;
const WAY_IN = "Open the board's address on this device, and sign in again.";

export function admitDevices(
  options: BoardOptions,
  { devices, onSeen }: ListenOptions,
  origin: () => string,
): DeviceAdmission {
  const now = Date.now;
  const invitations = openInvitations(now);
  const passkeys = openPasskeys(origin, now);
  const sessions = openDeviceSessions(devices, now);
  const limits = { entrances: openLimit(SIGN_INS, now), acts: openLimit(ACTS, now) };
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
  const isNameTaken = (name: string) => devices.list().some((device) => device.name === name);
  const signIn: SignIn = { addDevice, devices, invitations, letIn, passkeys, sessions, isNameTaken };

  return {
    guards,
    middleware: [report(sessionOf)],
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
      app.use("/enter/*", limitSignIns(limits.entrances), SMALL, admitPerson(guards));
      for (const [name, route] of Object.entries(SIGN_IN_ROUTES))
        app.post(`/enter/${name}`, async (context) => route(context, signIn));
    },
    checks: [checkAct(limits.acts, sessionOf)],
    userOf(context) {
      const session = sessionOf(context);
      if (session === null) throw refusedDeviceError("its session is over");
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

// ── Signing in ───────────────────────────────────────────────────────────────────────────────────────────────────

interface SignIn {
  readonly devices: ListenOptions["devices"];
  readonly invitations: ReturnType<typeof openInvitations>;
  readonly passkeys: Passkeys;
  readonly sessions: ReturnType<typeof openDeviceSessions>;
  isNameTaken(name: string): boolean;
  addDevice(context: Context, device: Device, how: string): void;
  letIn(context: Context, device: Device, cookie: string, how: string): Response;
}

type SignInRoute = (context: Context, signIn: SignIn) => Promise<Response>;

/** The ways to sign in, by the last part of the address. Each takes JSON. */
const SIGN_IN_ROUTES: Readonly<Record<string, SignInRoute>> = {
  /** With an invitation: the browser's options for a new passkey. */
  async options(context, { devices, invitations, passkeys, isNameTaken }) {
    const { name } = invited(await bodyOf(context), invitations, isNameTaken);
    return context.json(await passkeys.registration(name, devices.list()));
  },
  /** With an invitation and the new passkey. */
  async register(context, { addDevice, invitations, letIn, passkeys, sessions, isNameTaken }) {
    const body = await bodyOf(context);
    const { name, given } = invited(body, invitations, isNameTaken);
    const passkey = await passkeys.register(objectIn(body, "answer"));
    if (passkey === null) throw refusedDeviceError("its passkey was not made for this board just now");
    if (!invitations.use(given)) throw refusedDeviceError("its code was used meanwhile");
    const device = newDevice(name, { passkey, cookie: null });
    addDevice(context, device, "with a passkey");
    return letIn(context, device, sessions.open(device), "it was just added");
  },
  /** With an invitation, without a passkey. */
  async cookie(context, { addDevice, invitations, letIn, isNameTaken }) {
    const { name, given } = invited(await bodyOf(context), invitations, isNameTaken);
    if (!invitations.use(given)) throw refusedDeviceError("its code was used meanwhile");
    const cookie = secret();
    const until = new Date(Date.now() + COOKIE_LASTS * 1000).toISOString();
    const device = newDevice(name, { passkey: null, cookie: { hash: hashOf(cookie), until } });
    addDevice(context, device, "without a passkey");
    return letIn(context, device, cookie, "it was just added");
  },
  /** The challenge for a sign-in with a passkey. */
  challenge: async (context, { passkeys }) => context.json(await passkeys.challenge({ for: "entrance" })),
  async passkey(context, { devices, letIn, passkeys, sessions }) {
    const answered = objectIn(await bodyOf(context), "answer");
    const device = await passkeys.answered({ for: "entrance" }, answered, devices.list());
    if (device === null) throw refusedDeviceError("its passkey is none of this board's, or came too late");
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
  isNameTaken: (name: string) => boolean,
): { readonly name: string; readonly given: string } {
  const given = typeof body.secret === "string" ? body.secret.trim() : "";
  const name = typeof body.name === "string" ? body.name.trim() : "";
  const status = invitations.check(given);
  if (status !== "valid") throw refusedDeviceError(REFUSED[status], NEW_CODE);
  if (!isDeviceName(name))
    throw new PawlError(
      "usage",
      `The device's name is ${JSON.stringify(name.slice(0, 80))}: expected at most ${LONGEST_NAME} letters, digits and spaces.`,
      "Choose a name such as My phone.",
    );
  if (isNameTaken(name))
    throw new PawlError(
      "usage",
      `There is a device named ${name} already.`,
      "Choose another name, or revoke that device first: `pawl board --revoke NAME`.",
    );
  return { name, given };
}

const NEW_CODE = "Press Enter in the terminal of `pawl board` for another code.";

function refusedDeviceError(why: string, fix = WAY_IN): PawlError {
  return new PawlError("board-refused", `The board refused this device: ${why}.`, fix);
}

async function bodyOf(context: Context): Promise<Readonly<Record<string, unknown>>> {
  const text = await context.req.text();
  const body = attempt(() => JSON.parse(text) as unknown, null);
  if (isObject(body)) return body;
  throw new PawlError("usage", "The board got a request that it cannot read.", "Load the page again.");
}

function objectIn(body: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const value = body[name];
  return isObject(value) ? value : {};
}

function limitSignIns(limit: ReturnType<typeof openLimit>): MiddlewareHandler {
  return async (context, next) => {
    if (!limit.take(peerOf(context) ?? ""))
      return answer(context, 429, "there were too many attempts to sign in", "Wait for five minutes.");
    if (!isJson(context)) return answer(context, 415, "its body is not application/json");
    context.header("cache-control", "no-store");
    return next();
  };
}

const SMALL = bodyLimit({
  maxSize: MAX_BYTES,
  onError: (context) => answer(context, 413, `it is larger than ${MAX_BYTES} bytes`),
});

// ── Signed in ────────────────────────────────────────────────────────────────────────────────────────────────────

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
      const confirmed = await passkeys.answered(purpose(hash), assertion, [device]);
      if (confirmed !== null) return;
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
  const refused = (device: Omit<DeviceEvent, "type">) => {
    const isFew = limit.take("");
    if (!isFew && isQuiet) return;
    isQuiet = !isFew;
    const how = isFew ? device.how : "and more, which are not named";
    onSeen({ type: "device:refused", ...device, how });
  };
  return (sessionOf: (context: Context) => { readonly device: Device } | null): MiddlewareHandler =>
    async (context, next) => {
      const device = attempt(() => sessionOf(context)?.device.name ?? null, null);
      await next();
      const { status } = context.res;
      const isOfOne = device !== null || context.req.method === "POST" || status === 421 || status === 429;
      if (!REPORTED.has(status) || !isOfOne) return;
      const body = await context.res.clone().text();
      const { message } = attempt(() => JSON.parse(body) as { readonly message?: unknown }, {
        message: body,
      });
      const how = cleanLine(typeof message === "string" ? message : body).slice(0, 300);
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
