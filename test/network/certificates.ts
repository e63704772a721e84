/** An authority of the test's own, and the certificate that it gives a server. */
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** For these IP addresses. */
export function writeCertificates(folder: string, addresses: readonly string[]) {
  const openssl = (...words: readonly string[]) =>
    execFileSync("openssl", words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  openssl("req", "-x509", ...KEY, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Proof", "-days", "2");
  openssl("req", ...KEY, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=Database");
  writeFileSync(join(folder, "names"), `subjectAltName=${addresses.map((each) => `IP:${each}`).join(",")}\n`);
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.pem", ...signed);
  const key = join(folder, "server.key");
  chmodSync(key, 0o600);
  chmodSync(folder, 0o755);
  return { ca: join(folder, "ca.pem"), certificate: join(folder, "server.pem"), key };
}
