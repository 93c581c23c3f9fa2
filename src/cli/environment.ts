import { readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { Failure } from "../failure.js";

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
export function sonnyHome({ variables, home, cwd }: Omit<Environment, "settings">): string {
  return variables.SONNY_HOME ? resolve(cwd, variables.SONNY_HOME) : join(home, ".sonny");
}

/** Path of the store: `--store`, `$SONNY_STORE`, `store` of the configuration, `$SONNY_HOME/trace/cache.db`. */
export function storePath(flag: string | undefined, env: Environment): string {
  const named = flag ?? (env.variables.SONNY_STORE || env.settings.store);
  if (named === "") throw new Failure("store.unnamed", "--store needs a path", { tries: ["--store ./my.db"] });
  if (named === undefined) return join(sonnyHome(env), "trace", "cache.db");
  return isAbsolute(named) ? named : resolve(env.cwd, named);
}

/** The user's settings in `$SONNY_HOME/config.yaml`; a missing file is no settings. */
export interface Configuration {
  store?: string;
  timezone?: string;
  tenant?: string;
}

async function configuration(env: Omit<Environment, "settings">): Promise<Configuration> {
  const path = join(sonnyHome(env), "config.yaml");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT" || (cause as NodeJS.ErrnoException).code === "ENOTDIR")
      return {};
    throw new Failure("config.unreadable", `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  return checked(path, text);
}

const KEYS = ["store", "timezone", "tenant"] as const;

async function checked(path: string, text: string): Promise<Configuration> {
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw new Failure("config.invalid", `${path} is not YAML: ${(cause as Error).message.split("\n")[0]}`, { cause });
  }
  if (value === null) return {};
  const wrong = Object.entries(Object(value)).find(
    ([key, entry]) => !(KEYS as readonly string[]).includes(key) || typeof entry !== "string",
  );
  if (typeof value !== "object" || Array.isArray(value) || wrong !== undefined) {
    throw new Failure(
      "config.invalid",
      `${path}: ${wrong ? `"${wrong[0]}" is not a known setting with a text value` : "not a map of settings"}`,
      {
        tries: [`known settings: ${KEYS.join(", ")}`],
      },
    );
  }
  return value as Configuration;
}
