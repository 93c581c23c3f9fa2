import { absent, type Levels, partial } from "../facts.js";

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
