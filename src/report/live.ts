import { grouped } from "../diagnostics/figure.js";
import type { LiveRequest } from "../diagnostics/live.js";
import { clean } from "./clean.js";
import { inkOf, type Page, timeOf } from "./page.js";

/** One line for one request: whose, how much, what the cache gave, and how full the context is. */
export function liveText(request: LiveRequest, page: Page): string {
  const { agent, session, lane, model, atMs, outputTokens } = request;
  const where = lane === null || lane === "main" ? short(session) : `${short(session)} ${short(lane)}`;
  return [
    timeOf(page, atMs),
    `${clean(agent)} ${where}`,
    model === null ? "–" : clean(model),
    `in ${figure(request.promptTokens)}`,
    `out ${request.provisional ? "≥ " : ""}${figure(outputTokens)}`,
    cacheText(request, page),
    fillText(request),
  ]
    .filter((part) => part !== "")
    .join("  ");
}

function cacheText({ promptTokens, readTokens, writtenTokens, miss }: LiveRequest, page: Page): string {
  const ink = inkOf(page);
  if (readTokens === null) return "cache –";
  const written = writtenTokens === null ? "" : `, wrote ${grouped(writtenTokens)}`;
  const share =
    promptTokens === null || promptTokens === 0 ? "" : ` (${Math.floor((100 * readTokens) / promptTokens)} %)`;
  const read = `read ${grouped(readTokens)}${share}${written}`;
  if (miss === null) return read;
  return `${read}  ${ink.yellow(`missed ${grouped(miss.lostTokens)}: ${clean(miss.cause)}`)}`;
}

/** Without a recorded window there is no share to tell. */
function fillText({ promptTokens, contextWindowTokens }: LiveRequest): string {
  if (promptTokens === null || contextWindowTokens === null || contextWindowTokens === 0) return "";
  const share = Math.floor((100 * promptTokens) / contextWindowTokens);
  return `context ${share} % of ${grouped(contextWindowTokens)}`;
}

function figure(tokens: number | null): string {
  return tokens === null ? "–" : grouped(tokens);
}

/** Long ids are cut for the eye; `--json` has them whole. */
function short(id: string): string {
  const text = clean(id);
  return text.length > 13 ? `${text.slice(0, 12)}…` : text;
}
