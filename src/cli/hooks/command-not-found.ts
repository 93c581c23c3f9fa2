import type { Hook } from "@oclif/core";
import { cleanJson, cleanLines } from "../../report/clean.js";
import { watchOutlets } from "../outlets.js";
import { nearest } from "../suggest.js";

/** An unknown command: one line with the nearest known one, exit 2. */
const commandNotFound: Hook.CommandNotFound = async ({ id, config, argv }) => {
  const spaced = id.replaceAll(":", " ");
  const known = config.commands.filter((command) => !command.hidden).map((command) => command.id.replaceAll(":", " "));
  const typed = [spaced, ...(argv ?? []).filter((word) => !word.startsWith("-"))].join(" ");
  const meant = nearest(spaced, known) ?? nearest(typed, known);
  const tries = [meant === undefined ? `${config.bin} --help` : `${config.bin} ${meant}`];
  const message = `"${spaced}" is not a command`;
  process.exitCode = 2;
  watchOutlets();
  if (process.argv.includes("--json")) {
    process.stdout.write(`${cleanJson(JSON.stringify({ error: { code: "usage", message, tries } }, null, 2))}\n`);
  } else {
    process.stderr.write(`${cleanLines(`sonny: ${message}  (try: ${tries.join(" | ")})`)}\n`);
  }
};

export default commandNotFound;
