import { join } from "node:path";
import { absent, type Levels, partial } from "../facts.js";
import type { Cleanup, Surroundings } from "../importer.js";
import { settingIn } from "../setting.js";

/** What chats can tell. */
export const LEVELS: Levels = {
  shell_digests: absent("Gemini CLI's chats hold neither system prompt nor tool definitions"),
  shell_deltas: absent("Gemini CLI does not record changes of its tools and instructions"),
  miss_reasons: absent("Gemini CLI's chats hold no reasons for missed caches"),
  local_cache: absent("Gemini CLI's chats record no local cache"),
  divergences: absent("Gemini CLI's chats record no semantic cache"),
  compactions: absent("Gemini CLI's chats do not record compressions; its telemetry does"),
  checkpoint_text: absent("Gemini CLI's chats do not record compressions"),
  contracts: partial("no schemas are recorded; violations are computed from calls and results"),
};

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
