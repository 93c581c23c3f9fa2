import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "../failure.js";

/**
 * Lets a server listen until the process is asked to stop; requests that are being answered are finished first.
 * `begun` is told the address under which it can be reached.
 */
export async function listening(
  server: Server,
  port: number,
  host: string,
  begun: (url: string) => void,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(unavailable(error, port, host)));
    server.listen(port, host, resolve);
  });
  const { address, port: taken, family } = server.address() as AddressInfo;
  begun(`http://${family === "IPv6" ? `[${address}]` : address}:${taken}`);
  await new Promise<void>((resolve) => {
    const stop = () => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      server.close(() => resolve());
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), LAST_MS).unref();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
}

/** Requests that take longer than this are cut off at the end. */
const LAST_MS = 5_000;

function unavailable({ code }: NodeJS.ErrnoException, port: number, host: string): Failure {
  const why =
    code === "EADDRINUSE"
      ? "another program listens there"
      : code === "EACCES"
        ? "it may not be used by you"
        : `it cannot be used (${code})`;
  return new Failure("receive.port", `port ${port} of ${host}: ${why}`, { tries: ["--port 14318", "--port 0"] });
}

/** Notes a request to stop; a sleep ends early then. Call `done` when it does not matter any more. */
export function untilStopped(): { asked: () => boolean; sleep: (ms: number) => Promise<void>; done: () => void } {
  let stopped = false;
  let wake = () => {};
  const stop = () => {
    stopped = true;
    wake();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return {
    asked: () => stopped,
    sleep: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, stopped ? 0 : ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    done: () => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
    },
  };
}
