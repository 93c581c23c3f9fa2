import { join } from "node:path";
import { absent, type Levels, partial } from "../../events/facts.js";
import type { Cleanup, Surroundings } from "../importer.js";
import { settingIn } from "../setting.js";

const COMPRESSED = "only newer versions of Gemini CLI write down what a compression left; its telemetry tells of all";

/** What chats can tell. */
export const LEVELS: Levels = {
  shell_digests: absent("Gemini CLI's chats hold neither system prompt nor tool definitions"),
  shell_deltas: absent("Gemini CLI does not record changes of its tools and instructions"),
  miss_reasons: absent("Gemini CLI's chats hold no reasons for missed caches"),
  local_cache: absent("Gemini CLI's chats record no local cache"),
  divergences: absent("Gemini CLI's chats record no semantic cache"),
  compactions: partial(COMPRESSED),
  checkpoint_text: partial(COMPRESSED),
  contracts: partial("no schemas are recorded; violations are computed from calls and results"),
};

/** A chat without any compression may be one that does not record them. */
export function levelsOf(compressed: boolean): Levels {
  return compressed ? LEVELS : { ...LEVELS, compactions: absent(COMPRESSED), checkpoint_text: absent(COMPRESSED) };
}

/** Since February 2026 Gemini CLI deletes chats of 30 days and more, of the project it is started in. */
export function cleanup({ home, variables }: Surroundings): Cleanup {
  const file = join(variables.GEMINI_DATA_DIR || join(home, ".gemini"), "settings.json");
  const setting = "general.sessionRetention";
  if (settingIn(file, "general", "sessionRetention", "enabled") === false) return { days: null, setting, file };
  const age = /^(\d+)([hdwm])$/.exec(String(settingIn(file, "general", "sessionRetention", "maxAge")));
  if (age === null) return { days: 30, setting, file: null };
  return { days: Number(age[1]) * DAYS[age[2] as keyof typeof DAYS], setting, file };
}

const DAYS = { h: 1 / 24, d: 1, w: 7, m: 30 };
