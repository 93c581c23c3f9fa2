/** Views of real transcripts: whatever the agent, they agree with each other. */
import { test } from "uvu";
import * as assert from "uvu/assert";
import { laneFacts, laneTexts } from "../../src/diagnostics/lane-record.js";
import type { TimelineRequest } from "../../src/diagnostics/timeline.js";
import { retold } from "../../src/ingest/retell.js";
import { isComplete, type Material, viewOf } from "../../src/report/views.js";
import { viewText } from "../../src/report/views-text.js";
import { courseOf } from "../../src/retention/context.js";
import { select } from "../../src/store/scope.js";
import { corpusFolder, notRun } from "../support/corpus.js";
import { type Imported, importedPaths } from "../support/import.js";

const PAGE = { width: 100, colour: false, timezone: "UTC" };

async function materialsOf({ store, rows }: Imported): Promise<Material[]> {
  const materials: Material[] = [];
  const lanes = rows(`SELECT s.session_id AS session, w.text AS agent, l.lane_id AS lane
    FROM lanes l JOIN sessions s ON s.id = l.session JOIN words w ON w.id = s.agent`) as Record<string, string>[];
  for (const { session, agent, lane } of lanes) {
    const selection = await select(store.db, { session: session!, agent: agent!, lane: lane! });
    const { texts } = await laneTexts(store.db, selection);
    const told = retold(texts, lane!);
    if (told.why !== null) continue;
    const { compactions, calls } = await laneFacts(store.db, selection, lane!, told.place.source);
    const course = courseOf(told.passages, compactions);
    const asked = { store: store.path, session: session!, agent: agent!, lane: lane!, source: told.place.path };
    const latest: TimelineRequest | null = null;
    materials.push({ ...asked, sourceChanged: told.changed, request: null, latest, course, calls });
  }
  return materials;
}

if (corpusFolder === null) notRun("views of real transcripts");
else {
  test("every compaction of every real transcript has its place, and each view is drawn from what was said", async () => {
    const held = importedPaths([corpusFolder!]);
    const materials = await materialsOf(held);
    assert.ok(materials.length > 80);
    for (const material of materials) {
      const { course, session } = material;
      assert.ok(isComplete(course), session);
      const said = new Set(course.passages);
      assert.ok(course.context.every(({ passage }) => said.has(passage)));
      for (const { before, kept, dropped } of course.changes) assert.is(kept.length + dropped.length, before.length);
      for (const name of ["user", "model", "summary", "diff"] as const) {
        assert.ok(viewText(material, viewOf(name, material), PAGE).includes(session));
      }
    }
    held.cleanup();
  });
}

test.run();
