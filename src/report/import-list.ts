import type { CoveredFact } from "../events/event.js";
import { clean } from "./clean.js";
import { isoOf } from "./moments.js";
import { columns, inkOf, type Page, timeOf } from "./page.js";

interface Place {
  path: string;
  found: boolean;
  files: number;
  bytes: number;
  oldestMs: number | null;
  newestMs: number | null;
}

interface Listed {
  agent: string;
  places: Place[];
  coverage: Partial<Record<CoveredFact, { level: "full" | "partial" | "absent"; why: string | null }>>;
  cleanup: { days: number | null; setting: string; file: string | null } | null;
}

/** Agent by agent: what lies where, how far back it reaches, what it can tell, and when the agent deletes it. */
export function listText(agents: Listed[], page: Page): string {
  const ink = inkOf(page);
  const known = agents.map(({ agent, places, coverage, cleanup }) =>
    [
      ink.bold(agent),
      ...places.map((place) => `  ${placeText(place)}`),
      columns(page, [
        ...reachOf(places, page).map((reach) => ["reaches", reach]),
        ["tells", namesOf(coverage, "full")],
        ["partly", namesOf(coverage, "partial")],
        ["not", namesOf(coverage, "absent")],
        ...(cleanup === null ? [] : [["deletes", cleanupText(cleanup)]]),
      ]),
    ].join("\n"),
  );
  const found = agents.some(({ places }) => places.some(({ files }) => files > 0));
  return [...known, ...(found ? [] : ["no transcripts found"])].join("\n\n");
}

/** What lies at the paths that were named. */
export function pathsText(places: Place[], page: Page): string {
  return places
    .map((place) => [placeText(place), ...reachOf([place], page).map((reach) => `  reaches ${reach}`)].join("\n"))
    .join("\n");
}

export function listJson(agents: Listed[], paths: Place[]) {
  return {
    schemaVersion: 1,
    agents: agents.map(({ places, coverage, ...rest }) => ({
      ...rest,
      ...placeJson(summed(places)),
      places: places.map(({ path, found, ...place }) => ({ path, found, ...placeJson(place) })),
      coverage: Object.fromEntries(FACTS.map((fact) => [fact, coverage[fact] ?? { level: "full", why: null }])),
    })),
    paths: paths.map(({ path, found, ...place }) => ({ path, found, ...placeJson(place) })),
  };
}

/** Names for a person. Whose data it is, an import says, not a transcript. */
const NAMES = {
  usage: "requests and tokens",
  cache_counters: "cache counters",
  final_output: "final output counts",
  start_time: "times of sending",
  tool_calls: "tool calls",
  contracts: "return contracts",
  subagents: "subagents",
  compactions: "compactions",
  checkpoint_text: "checkpoints",
  shell_digests: "shell digests",
  shell_deltas: "changes of the shell",
  miss_reasons: "reasons for missed caches",
  local_cache: "a local cache",
  divergences: "a semantic cache",
} as const satisfies Record<Exclude<CoveredFact, "tenant">, string>;
const FACTS = Object.keys(NAMES) as (keyof typeof NAMES)[];

function namesOf(coverage: Listed["coverage"], level: "full" | "partial" | "absent"): string {
  const names = FACTS.filter((fact) => (coverage[fact]?.level ?? "full") === level).map((fact) => NAMES[fact]);
  return names.length === 0 ? "–" : names.join(", ");
}

function placeText({ path, found, files, bytes }: Place): string {
  const there = found ? `${files} ${files === 1 ? "file" : "files"}, ${(bytes / 1e6).toFixed(1)} MB` : "not there";
  return clean(`${path}: ${there}`);
}

function reachOf(places: Place[], page: Page): string[] {
  const { oldestMs, newestMs } = summed(places);
  if (oldestMs === null) return [];
  return [
    `${timeOf(page, oldestMs)} to ${timeOf(page, newestMs)} by when files were last written; records in them can be older`,
  ];
}

function cleanupText({ days, setting, file }: NonNullable<Listed["cleanup"]>): string {
  const from = file === null ? `its default; ${setting} changes it` : `${setting} in ${file}`;
  return days === null
    ? `nothing by itself (${from})`
    : `a file that was not written to for ${Math.round(days * 100) / 100} days (${from})`;
}

type Sum = Omit<Place, "path" | "found">;

function summed(places: Sum[]): Sum {
  const known = (times: (number | null)[]) => times.filter((time) => time !== null);
  const oldest = known(places.map(({ oldestMs }) => oldestMs));
  const newest = known(places.map(({ newestMs }) => newestMs));
  return {
    files: places.reduce((sum, { files }) => sum + files, 0),
    bytes: places.reduce((sum, { bytes }) => sum + bytes, 0),
    oldestMs: oldest.length === 0 ? null : Math.min(...oldest),
    newestMs: newest.length === 0 ? null : Math.max(...newest),
  };
}

function placeJson({ files, bytes, oldestMs, newestMs }: Sum) {
  return { files, bytes, oldestFileAt: isoOf(oldestMs), newestFileAt: isoOf(newestMs) };
}
