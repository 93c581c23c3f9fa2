import { Args } from "@oclif/core";
import type { Page } from "../report/page.js";
import type { Store } from "../store/open.js";
import type { Scope } from "../store/scope.js";
import { sessionKey } from "../store/sessions.js";
import { StoreCommand } from "./command.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "./flags.js";

export const sessionArgs = {
  session: Args.string({ description: "session to look at (an id matches only itself)", required: true }),
};

export const sessionFlags = {
  store: storeFlag,
  agent: scopeFlags.agent,
  tenant: scopeFlags.tenant,
  lane: scopeFlags.lane,
  ...windowFlags,
};

/** What a question about one session goes by. */
export interface Asked {
  store: Store;
  session: string;
  scope: Scope;
  page: Page;
}

/** A command that looks at one recorded session. */
export abstract class SessionCommand extends StoreCommand {
  /** Opens the store for a question about this session. Fails when the store has none, or several. */
  protected async askAbout<T>(
    session: string,
    flags: { [K in keyof typeof sessionFlags]?: string | undefined },
    ask: (asked: Asked) => Promise<T>,
  ): Promise<T> {
    const { scope, timezone } = scopeOf({ ...flags, session }, this.env, this.nowMs);
    const page = { width: this.columns, colour: this.colour, timezone };
    return this.reading(flags.store, async (store) => {
      sessionKey(store, session, flags.agent);
      return ask({ store, session, scope, page });
    });
  }
}
