/**
 * What happens when an answer cannot be written: a reader that has seen enough is no failure, anything else is exit 2
 * and one line. A standard output that was closed before the start cannot be told from one that nobody wants: Node
 * puts /dev/null in its place.
 */
export function watchOutlets(): void {
  // oclif's own listener throws, which would end in exit code 1.
  process.stdout.removeAllListeners("error").on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 2;
    process.stderr.write(`sonny: the answer could not be written (${error.code})\n`);
  });
  // Nobody is left to be told.
  process.stderr.removeAllListeners("error").on("error", () => {});
}
