import { absent, coverageFacts, FULL, type Header, type Levels, partial, share } from "../../events/facts.js";
import type { Say } from "../importer.js";
import type { FileState } from "./state.js";

/** What a wire file can tell. */
export const LEVELS: Levels = {
  miss_reasons: absent("the wire file holds no reasons for missed caches"),
  local_cache: absent("the wire file records no local cache"),
  divergences: absent("the wire file records no semantic cache"),
  contracts: partial("violations are computed from calls and results; schemas are not kept"),
};

/** What this file can tell about its session, as far as it was read. */
export function sayCoverage(file: FileState, header: Header, say: Say): void {
  const levels: Levels = {
    ...LEVELS,
    shell_digests: share(file.withoutShell, file.requests, "some requests were recorded without hashes of the shell"),
    shell_deltas: FULL,
    tenant: header.tenant === null ? absent("import with --tenant") : FULL,
  };
  for (const fact of coverageFacts(header, levels)) say(fact);
}
