import { existsSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command, Flags, ux } from "@oclif/core";
import { Failure } from "../failure.js";
import { cleanJson, cleanLines } from "../report/clean.js";
import type { Store } from "../store/open.js";
import { type Environment, environment, storePath } from "./environment.js";
import { watchOutlets } from "./outlets.js";
import { nearest } from "./suggest.js";

/**
 * What all commands share: `--json` with one shape of failure, one output door, and exit codes set without leaving
 * (`process.exit` after writing would cut a pipe at 64 KiB).
 */
export abstract class SonnyCommand extends Command {
  static override enableJsonFlag = true;
  static override baseFlags = {
    debug: Flags.boolean({ description: "show the stack of a failure", helpGroup: "GLOBAL", hidden: true }),
  };

  protected env!: Environment;
  protected readonly nowMs: number = Date.now();

  protected override async init(): Promise<void> {
    watchOutlets();
    this.env = await environment();
  }

  /** One line on the terminal's stderr that the next one replaces; nothing when nobody watches. */
  protected progress(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r${cleanLines(text)}\u001b[K`);
  }

  override log(message = ""): void {
    super.log("%s", cleanLines(message));
  }

  override logToStderr(message = ""): void {
    super.logToStderr("%s", cleanLines(message));
  }

  protected override logJson(value: unknown): void {
    ux.stdout("%s", cleanJson(JSON.stringify(value, null, 2)));
  }

  /** One JSON value on one line, for commands that answer bit by bit. */
  protected jsonLine(value: unknown): void {
    process.stdout.write(`${cleanJson(JSON.stringify(value))}\n`);
  }

  /** Colour only for a person: a terminal on stdout and no NO_COLOR. */
  protected get colour(): boolean {
    const { NO_COLOR, FORCE_COLOR } = this.env.variables;
    if (NO_COLOR || this.argv.includes("--no-color")) return false;
    return FORCE_COLOR !== undefined && FORCE_COLOR !== "" && FORCE_COLOR !== "0"
      ? true
      : process.stdout.isTTY === true;
  }

  /** Width to lay tables out in; unlimited when nobody watches. */
  protected get columns(): number {
    const stated = Number(this.env.variables.COLUMNS);
    if (process.stdout.isTTY) return process.stdout.columns || 80;
    return Number.isInteger(stated) && stated > 20 ? stated : 120;
  }

  /** Writes a file the user named; `wx` refuses one that exists. Never into a pipe or a device, which could block. */
  protected write(flag: string, file: string, text: string, mode: "w" | "wx" = "w"): void {
    if (file === "") throw new Failure("file.unnamed", `${flag} needs a path`, { tries: [`${flag} out.xml`] });
    const path = resolve(this.env.cwd, file);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
      throw new Failure("file.unwritable", `${file} is there and is not a file`, { tries: [`${flag} another path`] });
    }
    try {
      writeFileSync(path, text, { flag: mode });
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      const why = code === "EEXIST" ? "exists already" : `cannot be written (${code})`;
      throw new Failure("file.unwritable", `${file} ${why}`, { tries: [`${flag} another path`], cause });
    }
  }

  protected override async catch(error: Error & { oclif?: { exit?: number } }): Promise<void> {
    process.exitCode = 2;
    const failure = this.failureOf(error);
    if (failure === undefined || this.argv.includes("--debug"))
      super.logToStderr("%s", cleanLines(error.stack ?? String(error)));
    if (this.jsonEnabled()) {
      this.logJson({
        error: {
          code: failure?.code ?? "bug",
          message: failure?.message ?? error.message,
          tries: failure?.tries ?? [],
        },
      });
    } else if (failure !== undefined) {
      const tries = failure.tries.length > 0 ? `  (try: ${failure.tries.join(" | ")})` : "";
      this.logToStderr(`sonny: ${oneLine(failure.message)}${oneLine(tries)}`);
    }
  }

  /** What a person can act on: our own failures, and oclif's complaints about flags and arguments. */
  private failureOf(error: Error & { oclif?: { exit?: number } }): Failure | undefined {
    if (error instanceof Failure) return error;
    if (error.oclif === undefined) return undefined;
    const message = error.message.replace(/\n?See more help with --help$/, "");
    const unknown = /^Nonexistent flags?: --([^\s,]+)/.exec(message)?.[1];
    const meant = unknown === undefined ? undefined : nearest(unknown, Object.keys(this.ctor.flags));
    return new Failure("usage", message, { tries: [meant === undefined ? "--help" : `--${meant}`] });
  }
}

/** A command about a store. */
export abstract class StoreCommand extends SonnyCommand {
  /** Opens the store for questions: never creates, migrates or changes it. Warns when committed batches were lost. */
  protected async reading<T>(flag: string | undefined, ask: (store: Store) => Promise<T> | T): Promise<T> {
    return this.withStore(flag, "read", ask);
  }

  /** The same, or null when there is no store yet. */
  protected async readingIfThere<T>(
    flag: string | undefined,
    ask: (store: Store | null) => Promise<T> | T,
  ): Promise<T> {
    return existsSync(storePath(flag, this.env)) ? this.reading(flag, ask) : ask(null);
  }

  /** Opens the store for writing; creates and migrates it when needed. */
  protected async writing<T>(flag: string | undefined, work: (store: Store) => Promise<T> | T): Promise<T> {
    return this.withStore(flag, "write", work);
  }

  private async withStore<T>(
    flag: string | undefined,
    mode: "read" | "write",
    work: (store: Store) => Promise<T> | T,
  ): Promise<T> {
    const { openStore } = await import("../store/open.js");
    const store = await openStore(storePath(flag, this.env), { mode, nowMs: this.nowMs, machine: this.env.machine });
    if (store.lostBatches > 0) {
      this.logToStderr(
        `sonny: warning: ${store.path} lost ${store.lostBatches} committed batches; import again to restore them`,
      );
    }
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, "; ");
}
