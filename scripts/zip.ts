/** A zip archive (PKWARE's APPNOTE 6.3, without its extensions): names in UTF-8, deflated, one fixed time, so that it can be made again. */
import { crc32, deflateRawSync } from "node:zlib";

const VERSION = 20;
const UTF8 = 0x0800;
const DEFLATED = 8;
/** 1980-01-01, the format's first day. */
const DATE = 0x21;

export function renderZip(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content);
    const about = Buffer.alloc(26);
    [VERSION, UTF8, DEFLATED, 0, DATE].forEach((value, at) => void about.writeUInt16LE(value, at * 2));
    [crc32(content), packed.length, content.length].forEach(
      (value, at) => void about.writeUInt32LE(value, 10 + at * 4),
    );
    about.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), about, name, packed]);
    // Comment, disk and attributes: none.
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02"), word(VERSION), about, tail, name]));
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.size, 4);
  end.writeUInt16LE(files.size, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from("PK\x05\x06"), end]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
