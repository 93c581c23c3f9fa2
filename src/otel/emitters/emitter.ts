import type { Span } from "../signals.js";
import type { Told } from "../told.js";

/** What a span tells beside its place in the trace and who sent it. */
export type Said = Pick<Told, "turn" | "lane" | "agentName" | "request" | "tool" | "compaction" | "own">;

/** Reads the spans of one family of emitters; null for spans that are not of it. */
export type ReadSpan = (span: Span) => Said | null;
