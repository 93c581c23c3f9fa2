import { readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { Failure } from "../failure.js";
import type { Configuration } from "./settings.js";

/** What the surroundings say: read once, here and nowhere else. An empty variable counts as not set. */
export interface Environment {
  variables: Record<string, string | undefined>;
  home: string;
  cwd: string;
  machine: string;
  /** What the user wrote into the configuration file. */
  settings: Configuration;
}

/** The surroundings as they are now. Fails on a configuration file that cannot be understood. */
export async function environment(): Promise<Environment> {
  const bare = { variables: process.env, home: homedir(), cwd: process.cwd(), machine: hostname() };
  return { ...bare, settings: await configuration(bare) };
}

/** Folder of everything that is ours: `$SONNY_HOME`, else `~/.sonny`. */
function sonnyHome({ variables, home, cwd }: Omit<Environment, "settings">): string {
  return variables.SONNY_HOME ? resolve(cwd, variables.SONNY_HOME) : join(home, ".sonny");
}

/** Path of the store: `--store`, `$SONNY_STORE`, `store` of the configuration, `$SONNY_HOME/trace/cache.db`. */
export function storePath(flag: string | undefined, env: Environment): string {
  const named = flag ?? (env.variables.SONNY_STORE || env.settings.store);
  if (named === "") throw new Failure("store.unnamed", "--store needs a path", { tries: ["--store ./my.db"] });
  if (named === undefined) return join(sonnyHome(env), "trace", "cache.db");
  return isAbsolute(named) ? named : resolve(env.cwd, named);
}

async function configuration(env: Omit<Environment, "settings">): Promise<Configuration> {
  const path = join(sonnyHome(env), "config.yaml");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return {};
    throw new Failure("config.unreadable", `${path} cannot be read: ${code}`, { cause });
  }
  // Loaded only when there is a file: YAML costs every other start of the program 60 ms.
  const { readSettings } = await import("./settings.js");
  return readSettings(path, text);
}
