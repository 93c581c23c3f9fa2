/**
 * Draws again and again until the process is asked to stop; the drawing that runs is finished first. Returns, so that
 * the command ends as usual, with the store closed and exit code 0. On a terminal a drawing replaces the one before.
 */
export async function watching(
  everyMs: number,
  draw: () => Promise<string>,
  show: (text: string) => void,
): Promise<void> {
  let stopped = false;
  let wake = () => {};
  const stop = () => {
    stopped = true;
    wake();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    while (!stopped) {
      const text = await draw();
      if (process.stdout.isTTY) process.stdout.write(CLEAR);
      show(text);
      if (!stopped) await pause(everyMs, (awake) => (wake = awake));
    }
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

/** To the upper left, then everything from there on: the scrollback stays. */
const CLEAR = "\u001b[H\u001b[J";

function pause(ms: number, wakeable: (awake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wakeable(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
