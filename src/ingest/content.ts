import type { ContentFact } from "../events/event.js";
import type { Header } from "../events/facts.js";
import { digestOf, eventIdOf, hexOf } from "../events/identity.js";
import { decoded, type Utf8 } from "./json.js";

/** Text that the user asked to keep, named by its digest. */
export function contentFact(header: Header, content: Utf8): ContentFact {
  const digest = digestOf(content, "latin1");
  return { kind: "content", eventId: eventIdOf("content", hexOf(digest)), ...header, digest, text: decoded(content) };
}
