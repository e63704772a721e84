import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { parseAddress } from "./address.ts";

describe("the database's address", () => {
  it.each([
    ["postgres://ann@localhost/pawl", "localhost:5432/pawl"],
    ["postgresql://ann:p%40ss@127.0.0.1:6000/pawl", "127.0.0.1:6000/pawl"],
    ["postgres://ann@[::1]/pawl", "::1:5432/pawl"],
  ])("%s is on this machine, without encryption", (url, shown) => {
    expect(parseAddress(url)).toMatchObject({ shown, tls: null, user: "ann", database: "pawl" });
  });

  it("may be a socket's folder, which needs no password", () => {
    promise("database.rotating");
    const found = parseAddress("postgres://ann@%2Frun%2Fpostgresql/pawl");
    expect(found).toMatchObject({ host: "/run/postgresql", shown: "/run/postgresql:5432/pawl", tls: null });
    expect(found.password()).toBe("");
  });

  it("names a file with the password, which is read for each connection", () => {
    promise("database.rotating");
    const file = join(tmpdir(), `pawl-password-${process.pid}`);
    writeFileSync(file, "hush\n");
    const { password, rotates } = parseAddress(`postgres://ann@db.example/pawl?password_file=${file}`);
    expect([password(), rotates]).toEqual(["hush", true]);
    writeFileSync(file, "other");
    expect(password()).toBe("other");
    rmSync(file);
    expect(password).toThrow("cannot be read");
  });

  it("of another machine is encrypted, and its certificate verified", () => {
    promise("database.address");
    const file = join(tmpdir(), `pawl-ca-${process.pid}.pem`);
    writeFileSync(file, "certificates");
    const address = "postgres://ann:secret@db.example:6000/pawl";
    for (const url of [address, `${address}?sslmode=verify-full`])
      expect(parseAddress(url)).toMatchObject({ tls: { servername: "db.example" } });
    expect(parseAddress(address).password()).toBe("secret");
    expect(parseAddress(`${address}?sslrootcert=${file}`).tls).toEqual({
      servername: "db.example",
      ca: "certificates",
    });
  });

  it("of another machine by its IP address is encrypted and verified, too, and names no server to TLS", () => {
    promise("database.address");
    for (const host of ["192.0.2.1", "[2001:db8::1]"])
      expect(parseAddress(`postgres://ann@${host}/pawl`).tls).toEqual({});
  });

  it.each([
    [undefined, "is not set"],
    ["", "is not set"],
    ["db.example", "is not an address of PostgreSQL"],
    ["mysql://ann:hush@db.example/pawl", "is not an address of PostgreSQL"],
    ["postgres://db.example/pawl", "names no user"],
    ["postgres://ann:hush@db.example", "names no database"],
    ["postgres://ann:hush@db.example/pawl?sslmode=require", "only if it can verify"],
    ["postgres://ann:hush@db.example/pawl?sslmode=disable", "only if it can verify"],
    ["postgres://ann:hush@127.0.0.1.db.example/pawl?sslmode=no-verify", "only if it can verify"],
    ["postgres://ann:hush@localhost/pawl?host=db.example", 'the parameter "host"'],
    ["postgres://ann:hush@db.example/pawl?password_file=/none/there", "a password and a password_file"],
    ["postgres://ann@db.example/pawl?password_file=/none/there", "cannot be read"],
    ["postgres://ann:hush@db.example/pawl?sslrootcert=/none/there.pem", "cannot be read"],
  ])("%s is refused, and its password never shown", (url, why) => {
    promise("database.address");
    let error: unknown;
    try {
      parseAddress(url);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "database-unconfigured", message: expect.stringContaining(why) });
    const { fix, message } = error as { fix: string; message: string };
    expect(`${message}${fix}`).not.toContain("hush");
  });
});
