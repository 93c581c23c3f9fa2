import type { OutSpan } from "./spans.js";

/** Spans that wait to be delivered; kept in the store, so that a kill or an outage loses nothing. */
export interface Outbox {
  /** What waits for this target, the oldest first. */
  waiting(target: string): Waiting[];
  /** Adds bodies for a target, in one transaction. */
  add(target: string, bodies: OutSpan[][]): void;
  /** The body was answered for good. */
  done(id: number): void;
  /** Smaller bodies take its place; their ids, in order. */
  replace(id: number, bodies: OutSpan[][]): number[];
  /** A try did not succeed. */
  failed(id: number, why: string): void;
  /** Up to which batch of the store everything was accepted; 0 for a new target. */
  cursorOf(target: string): number;
  /** Moves on; call it when nothing waits any more. */
  advance(target: string, batch: number): void;
}

export interface Waiting {
  id: number;
  spans: OutSpan[];
}
