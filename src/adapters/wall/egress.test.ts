/** The proxy at the wall's way out, where the other side misbehaves. */
import { createServer as createHttp, get } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterEach, expect, it } from "vitest";
import { ForwardProxy } from "../../../test/rig/proxy.ts";
import { type Egress, openEgress } from "./egress.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  open.push(server);
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function egressTo(host: string, environment: Readonly<Record<string, string>> = {}): Egress {
  const egress = openEgress([host], environment);
  open.push(egress);
  return egress;
}

const asked = (egress: Egress, url: string) =>
  new Promise<string>((done) => {
    const request = get({ socketPath: egress.socket, path: url }, (answer) => {
      answer.on("data", () => {});
      answer.on("end", () => done(`ended ${answer.statusCode}`));
      answer.on("error", () => done("cut off"));
    });
    request.on("error", () => done("cut off"));
  });

it("cuts an answer off if the server resets it, and goes on", async () => {
  const host = await listening(
    createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf", () => socket.resetAndDestroy());
      });
    }),
  );
  const egress = egressTo(host);
  expect(await asked(egress, `http://${host}/`)).toBe("cut off");
  expect(await asked(egress, `http://${host}/`)).toBe("cut off");
  const well = await listening(createHttp((_, answer) => answer.end("well")));
  expect(await asked(egress, `http://${well}/`)).toBe("ended 403");
  expect(await asked(egressTo(well), `http://${well}/`)).toBe("ended 200");
});

it("says nothing of its own in a connection that is open", async () => {
  const host = await listening(
    createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.write("from the server", () => socket.resetAndDestroy()));
    }),
  );
  const egress = egressTo(host);
  const heard = await new Promise<string>((done) => {
    let text = "";
    const socket = connect(egress.socket, () => socket.write(`CONNECT ${host} HTTP/1.1\r\n\r\n`));
    socket.on("data", (chunk) => {
      if (!text.includes("200")) socket.write("hello");
      text += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => done(text));
  });
  expect(heard).toContain("HTTP/1.1 200 ");
  expect(heard.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

it("goes to an allowed host by the person's own proxy, and says what the proxy says", async () => {
  const well = await listening(createHttp((_, answer) => answer.end("well")));
  await using proxy = await ForwardProxy.open("jo:secret");
  const host = `model.test:${well.split(":")[1]}`;
  const by = (login: string) => {
    const address = `http://${login}${proxy.place}`;
    return egressTo(host, { HTTPS_PROXY: address, HTTP_PROXY: address });
  };
  expect(await asked(by("jo:secret@"), `http://${host}/`)).toBe("ended 200");
  const opened = (egress: Egress) =>
    new Promise<string>((done) => {
      const socket = connect(egress.socket, () => socket.write(`CONNECT ${host} HTTP/1.1\r\n\r\n`));
      socket.on("error", () => {});
      socket.once("data", (chunk) => {
        done(String(chunk));
        socket.destroy();
      });
    });
  expect(await opened(by("jo:secret@"))).toMatch(/^HTTP\/1\.1 200 /);
  expect(proxy.asked).toEqual([`GET http://${host}/`, `CONNECT ${host}`]);
  expect(await opened(by(""))).toMatch(/^HTTP\/1\.1 502 [\s\S]*requires a login: write it in HTTPS_PROXY/);
  expect(await asked(egressTo(host, { HTTP_PROXY: "socks5://x" }), `http://${host}/`)).toBe("ended 502");
});
