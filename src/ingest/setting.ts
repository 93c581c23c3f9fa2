import { readFileSync } from "node:fs";
import { object } from "./json.js";

/** What an agent's own settings say under a path of names; undefined when they do not, or cannot be read. */
export function settingIn(file: string, ...names: string[]): unknown {
  try {
    const settings = JSON.parse(readFileSync(file, "utf8")) as unknown;
    return names.reduce((value, name) => object(value)?.[name], settings);
  } catch {
    return undefined;
  }
}
