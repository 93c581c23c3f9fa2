/** Applies a big made-up step to the database at the given path, says `begin` before and `done` after. */
import { migrate } from "../../src/db/migrate.js";
import { openForWriting } from "../../src/db/open.js";
import { bigSteps, madeUp } from "./steps.js";

const file = openForWriting(process.argv[2]!, madeUp);
process.stdout.write("begin\n");
migrate(file.raw, bigSteps, { nowMs: 1 });
process.stdout.write("done\n");
file.close();
