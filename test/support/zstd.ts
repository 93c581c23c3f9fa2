const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const BLOCK_BYTES = 100 * 1024;

/** The bytes as one Zstandard frame of raw blocks: any decoder reads it, nothing is made smaller. */
export function zstdOf(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  const parts: Buffer[] = [MAGIC, Buffer.from([0xa0]), size];
  for (let at = 0; at === 0 || at < bytes.length; at += BLOCK_BYTES) {
    const block = bytes.subarray(at, at + BLOCK_BYTES);
    const last = at + BLOCK_BYTES >= bytes.length ? 1 : 0;
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | last, 0, 3);
    parts.push(header, block);
  }
  return Buffer.concat(parts);
}
