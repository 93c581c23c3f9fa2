import { test } from "uvu";
import * as assert from "uvu/assert";
import { redact } from "../../src/events/redact.js";

// Assembled at run time, so that no scanner takes this file for a leak.
const token = (prefix: string, length: number) => prefix + "a1B2c3D4e5F6g7H8i9J0".repeat(10).slice(0, length);
const secrets: [string, string][] = [
  ["a known prefix", token("sk-ant-", 40)],
  ["a GitHub token", token("ghp_", 36)],
  ["an AWS key", `AKIA${"ABCDEFGH12345678"}`],
  ["a Slack token", token("xoxb-", 30)],
  ["a JSON web token", `eyJ${token("", 20)}.eyJ${token("", 20)}.${token("", 20)}`],
];

for (const [name, secret] of secrets) {
  test(`${name} is taken out wherever it stands`, () => {
    for (const text of [secret, `see ${secret}.`, `{"x":"${secret}"}`]) assert.not.match(redact(text), secret);
  });
}

test("values of secret-sounding keys, headers and URL passwords are taken out", () => {
  const value = "hunter2-correct-horse";
  for (const text of [
    `password=${value}`,
    `"api_key": "${value}"`,
    `DB_PASSWORD='${value}'`,
    `Authorization: Bearer ${value}`,
    `x-api-key: ${value}`,
    `https://ann:${value}@example.org/x`,
    `access_token=${value}&x=1`,
  ]) {
    assert.not.match(redact(text), value, text);
  }
});

test("a private key block is taken out whole", () => {
  const block = `-----BEGIN ${"RSA"} PRIVATE KEY-----\nabc\ndef\n-----END ${"RSA"} PRIVATE KEY-----`;
  assert.is(redact(`before ${block} after`), "before [redacted] after");
});

test("look-alikes survive", () => {
  for (const text of [
    "tokens=123",
    "max_tokens: 4096",
    "input_tokens=18, output_tokens=4",
    "d41d8cd98f00b204e9800998ecf8427e",
    "6fa459ea-ee8a-3ca4-894e-db77e160355e",
    "the password field is empty",
    "https://example.org/a@b",
    "skip-this-step",
    "tokenizer: o200k",
    "secretary=Ann",
    "git@github.com:owner/repo.git",
  ]) {
    assert.is(redact(text), text);
  }
});

test("redacting twice changes nothing more", () => {
  const once = redact(`password=${token("", 20)} Authorization: Bearer ${token("", 30)}`);
  assert.is(redact(once), once);
});

test("long near misses come to an end (a quadratic rule would hang here)", () => {
  for (const piece of [
    "password",
    "eyJaaaaaaaaaa.",
    "-----BEGIN A PRIVATE KEY-----",
    "http://a:",
    "a_token",
    "bearer ",
  ]) {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    assert.ok(redact(text).length > 0);
  }
});

test.run();
