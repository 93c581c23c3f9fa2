import type { Received, SignalName } from "../signals.js";
import { Undecodable } from "../signals.js";
import { received } from "./received.js";

/** How a body is encoded; the answer uses the same. */
export type Encoding = "json" | "protobuf";

/**
 * Reads one request body of a signal, already decompressed.
 * Throws `Undecodable` when it is not such a message at all, or when not one of its items can be read.
 */
export async function decode(body: Buffer, signal: SignalName, encoding: Encoding): Promise<Received> {
  const message = encoding === "json" ? fromJson(body) : await fromProtobuf(body, signal);
  return received(message, signal);
}

/** Text that is not UTF-8 is replaced, not refused: one odd character must not cost a batch. */
function fromJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw new Undecodable(`the body is not JSON: ${(error as Error).message}`);
  }
}

async function fromProtobuf(body: Buffer, signal: SignalName): Promise<unknown> {
  const { requestTypes } = await import("./protobuf.js");
  const type = requestTypes[signal];
  try {
    return type.toObject(type.decode(body), { longs: String, bytes: Buffer });
  } catch (error) {
    throw new Undecodable(`the body is not a protobuf message of ${signal}: ${(error as Error).message}`);
  }
}
