/**
 * The sessions of devices. A device with a passkey signs in with it, for some hours; a device without one is
 * known by its cookie, for some weeks. Each request checks whether the device still has access.
 */
import { BoundedMap } from "../../../../core/bounded-map.ts";
import { hashOf } from "../../../../core/hash.ts";
import type { Device, Devices } from "../../../../core/ports/devices.ts";
import { secret } from "../sessions.ts";

interface DeviceSession {
  readonly device: Device;
  readonly csrf: string;
  readonly until: number;
}

/** Seconds. */
export const SESSION_LASTS = 12 * 3600;
export const COOKIE_LASTS = 30 * 24 * 3600;
const MAX_SESSIONS = 64;

export function openDeviceSessions(devices: Devices, now: () => number) {
  const sessions = new BoundedMap<string, DeviceSession>(MAX_SESSIONS);
  const keep = (hash: string, device: Device, until: number): DeviceSession => {
    const session = { device, csrf: secret(), until };
    sessions.set(hash, session);
    return session;
  };
  const byCookie = (hash: string) => {
    const device = devices.list().find(({ cookie }) => cookie?.hash === hash);
    return device?.cookie ? keep(hash, device, Date.parse(device.cookie.until)) : null;
  };
  const isOpen = ({ device, until }: DeviceSession) => now() <= until && devices.isValid(device);
  return {
    isOpen,
    /** A session of a device with a passkey; returns its cookie. */
    open(device: Device): string {
      const cookie = secret();
      keep(hashOf(cookie), device, now() + SESSION_LASTS * 1000);
      return cookie;
    },
    of(cookie: string | undefined): DeviceSession | null {
      if (cookie === undefined) return null;
      const hash = hashOf(cookie);
      const session = sessions.get(hash) ?? byCookie(hash);
      if (session && isOpen(session)) return session;
      sessions.delete(hash);
      return null;
    },
  };
}
