import { readFileSync } from "node:fs";

interface Flag {
  name: string;
  description?: string;
  summary?: string;
  type: string;
  helpValue?: string;
  default?: unknown;
  hidden?: boolean;
  options?: string[];
}
interface Command {
  id: string;
  summary?: string;
  description?: string;
  examples?: (string | { command: string })[];
  args: Record<string, { name: string; description?: string; required?: boolean }>;
  flags: Record<string, Flag>;
  hidden?: boolean;
  hiddenAliases?: string[];
  pluginName?: string;
}

/** All commands from oclif's manifest (made by the build). */
export function commandsPage(): string {
  const manifest = JSON.parse(readFileSync("oclif.manifest.json", "utf8")) as { commands: Record<string, Command> };
  const commands = Object.values(manifest.commands).filter(({ hidden }) => !hidden);
  return [
    "# Commands",
    "",
    "Generated from the commands themselves. Every command takes `--json` (the same values the text is drawn from) and `--help`.",
    "Spans and dates: `90m`, `168h`, `7d`, `2w`, sums such as `1d12h`, `2026-08-01`, `2026-08-01T10:00`, `now`. A day is 24 hours exactly.",
    "",
    ...commands.sort((a, b) => a.id.localeCompare(b.id)).flatMap(section),
  ].join("\n");
}

function section(command: Command): string[] {
  const name = `sonny ${command.id.replaceAll(":", " ")}`;
  const args = Object.values(command.args ?? {});
  const flags = Object.values(command.flags).filter(({ hidden, name: flag }) => !hidden && flag !== "json");
  const usage = args
    .map(({ name: arg, required }) => (required ? arg.toUpperCase() : `[${arg.toUpperCase()}]`))
    .join(" ");
  const lines = [`## ${name}`, "", `${sentence(command.summary ?? "")}`, ""];
  if (command.description) lines.push(command.description, "");
  lines.push("```", `${name} ${usage}`.trim() + (flags.length > 0 ? " [FLAGS]" : ""), "```", "");
  if (command.hiddenAliases?.length) lines.push(`Also: \`sonny ${command.hiddenAliases.join("`, `sonny ")}\`.`, "");
  if (args.length + flags.length > 0) {
    lines.push("| argument or flag | meaning |", "|---|---|");
    for (const arg of args) lines.push(`| \`${arg.name.toUpperCase()}\` | ${cell(arg.description)} |`);
    for (const flag of flags)
      lines.push(
        `| \`--${flag.name}${flag.type === "option" ? ` ${flag.helpValue ?? flag.name.toUpperCase()}` : ""}\` | ${cell(flag.summary ?? flag.description)}${optionsOf(flag)} |`,
      );
    lines.push("");
  }
  const examples = (command.examples ?? []).map((example) => (typeof example === "string" ? example : example.command));
  if (examples.length > 0) {
    lines.push(
      "```",
      ...examples.map((example) =>
        example
          .replaceAll("<%= config.bin %>", "sonny")
          .replaceAll("<%= command.id %>", command.id.replaceAll(":", " ")),
      ),
      "```",
      "",
    );
  }
  return lines;
}

function optionsOf({ options, default: otherwise }: Flag): string {
  const choices = options ? `; one of ${options.map((option) => `\`${option}\``).join(", ")}` : "";
  return otherwise === undefined || otherwise === false ? choices : `${choices} (default: \`${String(otherwise)}\`)`;
}

function sentence(text: string): string {
  return text === "" ? "" : `${text[0]!.toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

function cell(text = ""): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
