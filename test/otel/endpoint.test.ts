import { test } from "uvu";
import * as assert from "uvu/assert";
import { Failure } from "../../src/failure.js";
import { endpointOf } from "../../src/otel/endpoint.js";

const url = (flag: string | undefined, variables: Record<string, string> = {}) =>
  endpointOf({ endpoint: flag }, variables, "traces").url;

function failureOf(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

test("a base URL and a full one are both right", () => {
  for (const given of [
    "http://c:4318",
    "http://c:4318/",
    "http://c:4318/v1/traces",
    "http://c:4318/v1/traces/",
    "http://c:4318/v1/metrics",
  ]) {
    assert.is(url(given), "http://c:4318/v1/traces");
    assert.is(url(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: given }), "http://c:4318/v1/traces");
  }
  assert.is(url("https://c/otlp"), "https://c/otlp/v1/traces");
  assert.is(url(undefined), "http://localhost:4318/v1/traces");
});

test("a URL of one signal is used as it stands, and goes before the general one", () => {
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://general",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://own/api/in",
  };
  assert.is(url(undefined, variables), "http://own/api/in");
  const bare = endpointOf({}, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://own" }, "traces");
  assert.is(bare.url, "http://own/");
  assert.is(bare.warnings.length, 1);
});

test("what is no URL is refused, and a password in one is not repeated", () => {
  assert.is(failureOf(() => url("localhost:4318")).code, "export.endpoint");
  const failure = failureOf(() => url("ftp://me:secret@host/"));
  assert.is(failure.code, "export.endpoint");
  assert.not.match(failure.message, /secret/);
});

test("headers keep their equal signs and percent-encoded commas", () => {
  const variables = { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic eHg6eXk==,x-a=1%2C2" };
  assert.equal(endpointOf({}, variables, "traces").headers, { authorization: "Basic eHg6eXk==", "x-a": "1,2" });
  assert.equal(endpointOf({ header: ["X-B=a=b%"] }, {}, "traces").headers, { "x-b": "a=b%" });
});

test("a header that cannot be meant is refused by name, without its value", () => {
  const colon = failureOf(() =>
    endpointOf({}, { OTEL_EXPORTER_OTLP_HEADERS: "authorization: Bearer topsecret" }, "traces"),
  );
  assert.is(colon.code, "export.header");
  assert.match(colon.message, /authorization/);
  assert.not.match(colon.message, /topsecret/);
  const percent = failureOf(() => endpointOf({}, { OTEL_EXPORTER_OTLP_HEADERS: "x-a=secret100%" }, "traces"));
  assert.match(percent.message, /x-a/);
  assert.not.match(percent.message, /secret/);
  assert.is(failureOf(() => endpointOf({ header: ["a=b\nc: d"] }, {}, "traces")).code, "export.header");
});

test("gRPC, unknown protocols, compressions and times are refused with what to write instead", () => {
  assert.match(failureOf(() => endpointOf({ protocol: "grpc" }, {}, "traces")).message, /gRPC/);
  assert.is(failureOf(() => endpointOf({ protocol: "udp" }, {}, "traces")).code, "export.protocol");
  assert.is(
    failureOf(() => endpointOf({}, { OTEL_EXPORTER_OTLP_COMPRESSION: "br" }, "traces")).code,
    "export.compression",
  );
  assert.is(failureOf(() => endpointOf({}, { OTEL_EXPORTER_OTLP_TIMEOUT: "soon" }, "traces")).code, "export.timeout");
  assert.is(failureOf(() => endpointOf({}, { OTEL_SDK_DISABLED: "true" }, "traces")).code, "export.disabled");
});

test("protocol and compression come from the signal's own variable first", () => {
  const variables = {
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
  };
  const { encoding, gzip } = endpointOf({}, variables, "traces");
  assert.is(encoding, "json");
  assert.is(gzip, true);
  assert.is(endpointOf({}, variables, "metrics").encoding, "protobuf");
  assert.is(endpointOf({ protocol: "http/protobuf" }, variables, "traces").encoding, "protobuf");
});

test.run();
