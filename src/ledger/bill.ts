import type { Kysely } from "kysely";
import { type PriceBook, priceBook } from "../pricing/book.js";
import type { Tables } from "../store/schema.js";
import type { Selection } from "../store/scope.js";
import { type Account, account } from "./account.js";
import { cellsOf } from "./cells.js";

/** The account of everything in the selection, at the shipped prices unless others are given. */
export async function bill(db: Kysely<Tables>, selection: Selection, book: PriceBook = priceBook()): Promise<Account> {
  return account(await cellsOf(db, selection, book), book);
}
