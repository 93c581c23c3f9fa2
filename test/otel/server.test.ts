import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { BODY_BYTES } from "../../src/otel/server.js";
import { requestTypes, responseType, statusType } from "../../src/otel/wire/protobuf.js";
import { oneSpan, receiver, type TestReceiver } from "../support/receiver.js";

const requests = ({ store }: TestReceiver) =>
  store.raw.prepare("SELECT count(*) FROM requests WHERE counted = 1").pluck().get();

async function withReceiver(work: (peer: TestReceiver) => Promise<void>, tenant: string | null = null) {
  const peer = await receiver(tenant);
  try {
    await work(peer);
  } finally {
    await peer.close();
  }
}

test("a body is stored before it is answered, and once however often it comes", () =>
  withReceiver(async (peer) => {
    const body = JSON.stringify(oneSpan());
    const answers = await Promise.all(Array.from({ length: 4 }, () => peer.post("/v1/traces", body)));
    for (const answer of answers) {
      assert.is(answer.status, 200);
      assert.is(answer.headers.get("content-type"), "application/json");
      assert.equal(await answer.json(), {});
    }
    assert.is(requests(peer), 1);
  }));

test("the answer has the encoding of the request; parameters of the type and prefixes of the path do not matter", () =>
  withReceiver(async (peer) => {
    const body = Buffer.from(requestTypes.traces.encode(requestTypes.traces.create({ resourceSpans: [] })).finish());
    const answer = await peer.post("/api/otel/v1/traces", body, { "content-type": "application/x-protobuf; a=b" });
    assert.is(answer.status, 200);
    assert.is(answer.headers.get("content-type"), "application/x-protobuf");
    responseType.decode(Buffer.from(await answer.arrayBuffer()));
  }));

test("good items of a body are kept, bad ones counted; a body without any good one is refused", () =>
  withReceiver(async (peer) => {
    const [good, bad] = [oneSpan(), oneSpan({ traceId: "AAECAwQFBgcICQoLDA0ODw==" })];
    const mixed = { resourceSpans: [...good.resourceSpans, ...bad.resourceSpans] };
    const partial = await peer.post("/v1/traces", JSON.stringify(mixed));
    assert.is(partial.status, 200);
    const { partialSuccess } = (await partial.json()) as {
      partialSuccess: { rejectedSpans: string; errorMessage: string };
    };
    assert.is(partialSuccess.rejectedSpans, "1");
    assert.match(partialSuccess.errorMessage, /trace id of 16 bytes in hex/);
    assert.is(requests(peer), 1);
    const refused = await peer.post("/v1/traces", JSON.stringify(bad));
    assert.is(refused.status, 400);
    assert.match(((await refused.json()) as { message: string }).message, /trace id/);
  }));

test("upper-case ids, times and counts as numbers or text are the same", () =>
  withReceiver(async (peer) => {
    const id = { traceId: "0AF7651916CD43DD8448EB211C80319C", spanId: "B7AD6B7169203331" };
    const lower = { traceId: id.traceId.toLowerCase(), spanId: id.spanId.toLowerCase() };
    await peer.post("/v1/traces", JSON.stringify(oneSpan(id, { "gen_ai.usage.input_tokens": "100" })));
    await peer.post("/v1/traces", JSON.stringify(oneSpan({ ...lower, startTimeUnixNano: 1_790_000_000_000_000_000 })));
    assert.is(requests(peer), 1);
    assert.is(peer.store.raw.prepare("SELECT uncached_tokens FROM requests").pluck().get(), 100);
  }));

test("an end before the start makes a duration unknown, not negative", () =>
  withReceiver(async (peer) => {
    await peer.post("/v1/traces", JSON.stringify(oneSpan({ endTimeUnixNano: "1789999999000000000" })));
    await peer.post("/v1/traces", JSON.stringify(oneSpan({ endTimeUnixNano: "0" })));
    assert.equal(peer.store.raw.prepare("SELECT latency_ms FROM requests").pluck().all(), [null, null]);
  }));

test("the tenant of the header goes before that of the receiver, and an attribute before both", () =>
  withReceiver(async (peer) => {
    const tenants = () =>
      peer.store.raw
        .prepare("SELECT w.text FROM requests r JOIN words w ON w.id = r.tenant ORDER BY r.id")
        .pluck()
        .all();
    await peer.post("/v1/traces", JSON.stringify(oneSpan({}, { "gen_ai.conversation.id": "1" })));
    await peer.post("/v1/traces", JSON.stringify(oneSpan({}, { "gen_ai.conversation.id": "2" })), {
      "x-sonny-tenant": "b",
    });
    await peer.post("/v1/traces", JSON.stringify(oneSpan({}, { "gen_ai.conversation.id": "3", "sonny.tenant": "c" })), {
      "x-sonny-tenant": "b",
    });
    assert.equal(tenants(), ["a", "b", "c"]);
  }, "a"));

test("methods, types, encodings and paths that OTLP does not know are refused as it says", () =>
  withReceiver(async (peer) => {
    const status = async (path: string, init: RequestInit) => (await fetch(peer.url + path, init)).status;
    const json = { "content-type": "application/json" };
    assert.is(await status("/v1/traces", { method: "GET" }), 405);
    assert.is(await status("/v1/traces", { method: "OPTIONS" }), 405);
    assert.is(await status("/", { method: "POST", body: "{}", headers: json }), 404);
    assert.is(
      await status("/v1/traces", { method: "POST", body: "{}", headers: { "content-type": "text/plain" } }),
      415,
    );
    assert.is(
      await status("/v1/traces", { method: "POST", body: "{}", headers: { ...json, "content-encoding": "br" } }),
      415,
    );
    assert.is(await status("/v1/traces", { method: "POST", body: "", headers: json }), 400);
    assert.is(await status("/v1/traces", { method: "POST", body: "{}", headers: json }), 200);
  }));

test("no page in a browser and no foreign name reaches any route", () =>
  withReceiver(async (peer) => {
    const raw = async (headers: string) => {
      const socket = connect(peer.port, "127.0.0.1");
      socket.end(
        `POST /v1/traces HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      );
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      assert.not.match(text, /access-control/i);
      return Number(text.split(" ")[1]);
    };
    assert.is(await raw("Host: localhost:4318\r\n"), 200);
    assert.is(await raw("Host: [::1]:4318\r\n"), 200);
    assert.is(await raw("Host: 192.168.1.7\r\n"), 200);
    assert.is(await raw("Host: evil.example\r\n"), 403);
    assert.is(await raw("Host: localhost.evil.example\r\n"), 403);
    assert.is(await raw("Host: localhost\r\nOrigin: http://localhost:4318\r\n"), 403);
    assert.is(await raw("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"), 403);
  }));

test("a gzip bomb is refused before it is unpacked whole; several members are read", () =>
  withReceiver(async (peer) => {
    const bomb = gzipSync(Buffer.alloc(BODY_BYTES + 1));
    const answer = await peer.post("/v1/traces", bomb, { "content-encoding": "gzip" });
    assert.is(answer.status, 413);
    const body = JSON.stringify(oneSpan());
    const members = Buffer.concat([gzipSync(body.slice(0, 50)), gzipSync(body.slice(50))]);
    assert.is((await peer.post("/v1/traces", members, { "content-encoding": "gzip" })).status, 200);
    assert.is(requests(peer), 1);
    assert.is((await peer.post("/v1/traces", "not gzip", { "content-encoding": "gzip" })).status, 400);
  }));

test("a body that is announced as too large is refused at once", () =>
  withReceiver(async (peer) => {
    const socket = connect(peer.port, "127.0.0.1");
    socket.write(
      `POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY_BYTES + 1}\r\n\r\n{`,
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1.1 413/);
    socket.destroy();
  }));

test("whoever speaks HTTP/2 is told in one line what to switch", () =>
  withReceiver(async (peer) => {
    const socket = connect(peer.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    await once(socket, "close");
    assert.is(peer.troubles.length, 1);
    assert.match(peer.troubles[0] ?? "", /http\/protobuf/);
  }));

test("a sender that hangs up in its body disturbs nobody", () =>
  withReceiver(async (peer) => {
    const socket = connect(peer.port, "127.0.0.1");
    socket.write(
      'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"a',
    );
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.destroy();
    assert.is((await peer.post("/v1/traces", JSON.stringify(oneSpan()))).status, 200);
    assert.is(requests(peer), 1);
  }));

test("a store that cannot write is said with a retry, not with a refusal", () =>
  withReceiver(async (peer) => {
    peer.store.raw.pragma("query_only = 1");
    const answer = await peer.post("/v1/traces", JSON.stringify(oneSpan()));
    assert.is(answer.status, 503);
    assert.is(answer.headers.get("retry-after"), "5");
    peer.store.raw.pragma("query_only = 0");
    assert.is((await peer.post("/v1/traces", JSON.stringify(oneSpan()))).status, 200);
  }));

test("64 senders at once, with 100 slow ones beside: every body is stored", () =>
  withReceiver(async (peer) => {
    const slow = Array.from({ length: 100 }, () => {
      const socket = connect(peer.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write("POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Len");
      return socket;
    });
    const bodies = Array.from({ length: 256 }, () => JSON.stringify(oneSpan()));
    const statuses: number[] = [];
    await Promise.all(
      Array.from({ length: 64 }, async (_, worker) => {
        for (let at = worker; at < bodies.length; at += 64) {
          statuses.push((await peer.post("/v1/traces", bodies[at]!)).status);
        }
      }),
    );
    for (const socket of slow) socket.destroy();
    assert.ok(statuses.every((status) => status === 200));
    assert.is(requests(peer), 256);
  }));

const MUTATIONS = process.env.SONNY_LONG === "1" ? 2_000 : 200;

test(`${MUTATIONS} damaged bodies: an answer to each, never a fault of ours`, () =>
  withReceiver(async (peer) => {
    const json = Buffer.from(JSON.stringify(oneSpan()));
    const type = requestTypes.traces;
    const protobuf = Buffer.from(
      type
        .encode(
          type.create({
            resourceSpans: [
              {
                scopeSpans: [
                  {
                    spans: [
                      {
                        traceId: Buffer.alloc(16, 7),
                        spanId: Buffer.alloc(8, 7),
                        name: "chat",
                        attributes: [{ key: "gen_ai.usage.input_tokens", value: { intValue: 5 } }],
                      },
                    ],
                  },
                ],
              },
            ],
          }),
        )
        .finish(),
    );
    const damage = fc.array(fc.tuple(fc.nat(4_000), fc.nat(255), fc.constantFrom("set", "cut", "insert", "repeat")), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(
        damage,
        fc.constantFrom("json", "protobuf", "gzip"),
        fc.constantFrom("traces", "logs", "metrics"),
        async (steps, form, signal) => {
          let body = form === "protobuf" ? protobuf : json;
          for (const [place, byte, what] of steps) {
            const at = place % (body.length + 1);
            const [before, after] = [body.subarray(0, at), body.subarray(what === "set" ? at + 1 : at)];
            if (what === "cut") body = Buffer.from(before);
            else if (what === "repeat") body = Buffer.concat([body, after]);
            else body = Buffer.concat([before, Buffer.of(byte), after]);
          }
          const headers: Record<string, string> = {
            "content-type": form === "protobuf" ? "application/x-protobuf" : "application/json",
            ...(form === "gzip" ? { "content-encoding": "gzip" } : {}),
          };
          const sent = form === "gzip" ? gzipSync(body) : body;
          if (form === "gzip" && steps.length > 4) sent[steps[0]![0] % sent.length] = steps[0]![1];
          const answer = await peer.post(`/v1/${signal}`, sent, headers);
          assert.ok([200, 400].includes(answer.status), `${answer.status}`);
          const said = Buffer.from(await answer.arrayBuffer());
          if (answer.status === 400 && form === "protobuf") statusType.decode(said);
        },
      ),
      { numRuns: MUTATIONS, ...(process.env.FC_SEED === undefined ? {} : { seed: Number(process.env.FC_SEED) }) },
    );
    assert.equal(peer.troubles, []);
    assert.is((await peer.post("/v1/traces", JSON.stringify(oneSpan()))).status, 200);
  }));

/** Attributes and values that break careless receivers. */
const odd: [string, unknown][] = [
  ["a prototype as a key", oneSpan({}, { __proto__: "x", constructor: "y", toString: "z" } as never)],
  ["an id that is a number", oneSpan({ traceId: 12 })],
  ["zeros as an id", oneSpan({ spanId: "0".repeat(16) })],
  ["a span below itself", oneSpan({ parentSpanId: "b".repeat(16), spanId: "b".repeat(16) })],
  ["a time beyond all clocks", oneSpan({ startTimeUnixNano: "99999999999999999999999" })],
  ["a list where an object is due", { resourceSpans: [[], 1, null, { scopeSpans: {} }] }],
  ["null", null],
  ["a list", []],
  ["spans of no kind", { resourceSpans: [{ scopeSpans: [{ spans: [1, "a", null, {}] }] }] }],
];
for (const [what, body] of odd) {
  test(`${what} is answered and leaves the receiver well`, () =>
    withReceiver(async (peer) => {
      const answer = await peer.post("/v1/traces", JSON.stringify(body));
      assert.ok(answer.status === 200 || answer.status === 400);
      assert.is(({} as Record<string, unknown>).x, undefined);
      assert.equal(peer.troubles, []);
    }));
}

test("values nested 100,000 deep are cut, and a million attributes too", () =>
  withReceiver(async (peer) => {
    const deep = `${'{"arrayValue":{"values":['.repeat(100_000)}${"]}}".repeat(100_000)}`;
    const body = JSON.stringify(oneSpan()).replace('"attributes":[', `"attributes":[{"key":"deep","value":${deep}},`);
    assert.is((await peer.post("/v1/traces", body)).status, 200);
    const many = Array.from({ length: 100_000 }, (_, i) => ({ key: `k${i}`, value: { intValue: i } }));
    const wide = oneSpan();
    wide.resourceSpans[0]!.scopeSpans[0]!.spans[0]!.attributes.push(...(many as never[]));
    assert.is((await peer.post("/v1/traces", JSON.stringify(wide))).status, 200);
    assert.is(requests(peer), 2);
  }));

test.run();
