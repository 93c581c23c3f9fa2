import { parse } from "yaml";
import { Failure } from "../failure.js";

/** The user's settings in `$SONNY_HOME/config.yaml`; a missing file is no settings. */
export interface Configuration {
  store?: string;
  timezone?: string;
  tenant?: string;
  /** Prices of models, as written; `pricing/user-prices.ts` reads them where they are needed. */
  prices?: unknown;
}

const KEYS = ["store", "timezone", "tenant"] as const;
const isKnown = (key: string, entry: unknown) =>
  key === "prices" || ((KEYS as readonly string[]).includes(key) && typeof entry === "string");

/** The settings in the text of the file at `path`. An unknown one is a `Failure`: most likely it is a slip. */
export function readSettings(path: string, text: string): Configuration {
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw new Failure("config.invalid", `${path} is not YAML: ${(cause as Error).message.split("\n")[0]}`, { cause });
  }
  if (value === null) return {};
  const wrong = Object.entries(Object(value)).find(([key, entry]) => !isKnown(key, entry));
  if (typeof value !== "object" || Array.isArray(value) || wrong !== undefined) {
    throw new Failure(
      "config.invalid",
      `${path}: ${wrong ? `"${wrong[0]}" is not a known setting with a text value` : "not a map of settings"}`,
      {
        tries: [`known settings: ${[...KEYS, "prices"].join(", ")}`],
      },
    );
  }
  return value as Configuration;
}
