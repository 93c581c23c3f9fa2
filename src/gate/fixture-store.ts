import type { SessionEvent } from "../events/event.js";
import { Failure } from "../failure.js";
import { doorReader } from "../ingest/door/parse.js";
import { importFiles } from "../ingest/import.js";
import { openStore, type Store } from "../store/open.js";
import { storeSink } from "../store/sink.js";
import type { Fixture } from "./fixture.js";

/** A new store at `path` that holds the fixture's events and transcripts. Fails on an event that cannot be understood. */
export async function storeOfFixture(fixture: Fixture, path: string): Promise<Store> {
  const store = await openStore(path, { mode: "write", nowMs: fixture.nowMs });
  try {
    const sink = storeSink(store, { nowMs: () => fixture.nowMs });
    const events = eventsOf(fixture);
    if (events.length > 0) {
      const source = { kind: "fixture" as const, format: "sonny-events", locator: fixture.file };
      sink.append([{ source, events, skipped: [], cursor: null, expectedOffset: null, replace: false }]);
    }
    if (fixture.transcripts.length > 0) await importTranscripts(fixture, sink);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

function eventsOf({ events, name, file }: Fixture): SessionEvent[] {
  const read = doorReader({ agentOf: () => "custom", tenant: null });
  return events.map((value, at) => {
    const result = read(value, at + 1, null);
    if ("refused" in result)
      throw new Failure("fixture.invalid", `${file}: events: number ${at + 1} of ${name}: ${result.refused}`);
    return result.event;
  });
}
