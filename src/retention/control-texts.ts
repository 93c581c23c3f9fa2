/**
 * Texts of our own about sessions that never were. What stands in them is what any checkpoint may say by chance; they
 * never change without a new version of the judge, so that a score depends on nothing but the texts it is about.
 */
export const CONTROL_TEXTS: string[] = [
  "1. Primary request and intent: the user asked to add pagination to the list of orders. The change must not break the existing API. 2. Key technical concepts: cursor, page size, default 20, limit 100.",
  "Files and code sections: src/index.ts was read, src/app.ts was modified, package.json has the scripts build, test and lint. README.md describes the setup. The config lives in tsconfig.json.",
  "Errors and fixes: TypeError: Cannot read properties of undefined (reading 'id'). The value was null because the user was not loaded. Fixed by checking for null first and returning early. 1 error remains.",
  "All user messages: yes. ok, go on. please fix the tests. can you commit this? no, do not push. thanks. continue. looks good. what about the other file?",
  "Pending tasks: run npm test again, update the documentation, open a pull request, bump the version to 1.0.0, check the main branch. Current work: all tests pass, 3 of 4 tasks are done, 0 failed.",
  "The server listens on port 3000 at http://localhost:3000 and the database on localhost. The timeout is 30 seconds, the retry limit is 3, the cache holds 1000 entries, the interval 5 minutes.",
  "We decided to use a map instead of an array because lookups were slow. The handler returns early when the request has no body. Added a helper for parsing dates. Removed dead code.",
  "Ran git status, git diff, git log and git add. Then git commit with a short message and git push to origin main. The working tree is clean. The branch is up to date with origin.",
  "Ran npm install, npm test, npm run build and npm run lint. 12 passed, 0 failed. Build took 10 seconds. Type check is clean. No warnings. One test was skipped.",
  "The component renders a list of items with a key and a value. On click it calls the callback with the id and the name. State is kept in a hook. Styles are in a css file. The page has a title and a button.",
  "Python: main.py imports os, sys, json and re. The function main parses arguments and calls run. Ran pytest, 5 passed, 1 failed. requirements.txt pins the dependencies. Use a virtual environment.",
  "Go: main.go starts the server, go.mod names the module, go test ./... passes, go build is ok. The error is wrapped and returned. A context is passed to each function. Added a table test.",
  "Rust: Cargo.toml lists the crates, src/main.rs and src/lib.rs hold the code. cargo build, cargo test and cargo clippy are clean. The result is matched and the error printed.",
  "Docker: the Dockerfile copies the source, installs packages and exposes port 8080. docker compose up starts the services. The volume is mounted at /data, logs go to stdout. The health check calls /health every 10 seconds.",
  "The user wants the code to be simple and clean. Always write tests. Never commit secrets. Keep changes small. Make sure that the build passes before you commit. Do not change unrelated files. Only change what is needed.",
  "Next step: implement the second part of the plan, then verify by hand. If the tests fail, look at the log file first. The first step is done, the second step is in progress, the third is open.",
  "The query selects id, name and created_at from users where deleted is false, ordered by id, limit 10. A migration adds a column and an index. The table has 3 rows. Rollback works.",
  "The API returns 200 with JSON, 400 for bad input, 401 without a token, 404 when nothing is found and 500 on failure. GET, POST, PUT and DELETE are supported. The content type is application/json.",
  "Review comments: rename the variable, add a comment, split the function, handle the empty case, add a test for the error path, use a constant, remove the log statement, check the type.",
  "The summary covers what was done: read the files, found the bug, wrote a fix, added a test, ran all tests, updated the docs and the changelog. Nothing else was changed. The result is true, not false.",
  "The environment has NODE_ENV set to production, PATH includes bin, HOME is /home/user and the temp folder is /tmp. A config file is read from .env, then from config.json, then defaults apply.",
  "The workflow in .github/workflows/ci.yml runs on push and pull request: checkout, setup, install, lint, test, build. It failed once with exit code 1 and passed when run again. Permission denied was caused by a missing flag.",
  "The plan has these steps: 1. read the code, 2. write a failing test, 3. make it pass, 4. refactor, 5. commit. Step 1 and step 2 are complete. The user said yes to the plan and asked to start.",
  "Design: the parser reads tokens and builds a tree, the printer walks the tree and writes text. Input is a string, output is a string. Errors have a line and a column. The loop ends at the end of the file.",
  "Performance: the old version took 2 seconds, the new one 200 ms. Memory went down from 100 MB to 50 MB. 50 % of the time was spent in one function. The cache is now used. 10 lines were changed in 2 files.",
  "The function takes options with a name, a path, a type, a size, a mode and a flag. It returns an object with data, error, status, message, count, total, index, start and end. The default value is null.",
  "File not found: no such file or directory. Command not found. Permission denied. Connection refused. Timed out. Unexpected token. Syntax error near line 1. Module not found. Cannot find name. Expected 1 but got 2.",
  "The old code in src/utils.ts was moved to src/lib/index.ts. Tests live in test and tests, mocks in __tests__. The entry is src/main.ts. Types are in types.ts, constants in constants.ts, routes in routes.ts.",
  "There is one open question: should the new option be on by default? The user did not answer yet. Until then it is off. Version 2.0.0 may turn it on. See docs/README.md and https://example.com for more.",
  "Session notes: 2 files were created, 4 files modified, 1 deleted. 100 tests passed, 2 failed before the fix. Work was done on the branch main, based on the last commit. Everything is saved. Let me know what to do next.",
  "Logging: print statements were replaced by a logger with levels debug, info, warn and error. Each line has a time, a level and a message. Secrets are not logged. The environment is read in one place only. JSON.parse is wrapped in try and catch.",
  "Users can log in with a name and a password. The session lasts 1 hour, the token is stored in a cookie. On logout the token is removed. Roles are admin and user. The page redirects to the login when the token is missing.",
];

/** A whole checkpoint about something else. */
export const FOREIGN_CHECKPOINT = `Analysis: the conversation was about a weather station that sends readings over radio.

1. Primary request and intent: the user wanted the receiver to drop duplicated packets and to store hourly means. The firmware must stay below 28 KB of flash, and the antenna settings were never to be touched.

2. Key technical concepts: packet sequence numbers, a ring of the last 64 checksums, fixed-point humidity, hourly means over UTC hours.

3. Files and code sections:
   - firmware/receiver/packet_ring.c: new, keeps \`seen_checksums\` and \`ring_head\`; \`packet_is_repeat()\` compares the newest first.
   - firmware/receiver/radio_task.c: calls \`packet_is_repeat()\` before \`queue_reading()\`.
   - station/store/hourly_means.py: \`HourlyMean.close_hour\` writes at minute 61 so that late packets still count.
   - station/tests/late_packets_test.py: three late packets, one from the hour before.

4. Errors and fixes: the linker said that region \`FLASH\` overflowed by 412 bytes; the lookup table for dew points was moved to the station. A test hung because the simulated clock was not advanced.

5. Problem solving: checksums instead of whole packets because the ring has to fit into 256 bytes of RAM.

6. All user messages: "drop the repeats first, the means can wait", "do not touch antenna_cfg.h", "use UTC everywhere, the barn has no idea of summer time".

7. Pending tasks: battery voltage in the hourly record, a plot of signal strength per week.

8. Current work: the late-packet test had just gone green, and the receiver was flashed to the board on the bench with \`make flash-bench\`. Flash use was 27,904 bytes.

9. Next step: watch the receiver for a night and compare its counts with the logger in the shed.
`;
