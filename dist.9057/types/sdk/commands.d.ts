/** Slash commands: what a user types into a conversation. One registry, provided by the kernel. */
import type { DecideHook } from './token.ts';
import { type Point, type Service } from './token.ts';
/** Where a command is typed. */
export type Surface = 'cli' | 'gateway';
/** Contributed to `SlashCommands`. Names and aliases are unique over all plugins. */
export interface SlashCommand {
    /** Without the slash. */
    readonly name: string;
    readonly aliases?: readonly string[];
    readonly description: string;
    readonly category: string;
    /** For help: `[level|show|hide]`. */
    readonly argsHint?: string;
    /** Left out: everywhere. */
    readonly surfaces?: readonly Surface[];
    /** The text that follows the name, trimmed. Returns what is said to the user. */
    run(args: string, at: CommandPlace): Promise<string | undefined>;
}
/** Where and for whom a command runs. */
export interface CommandPlace {
    readonly sessionId: string | undefined;
    readonly surface: Surface;
    readonly cwd: string;
    readonly signal: AbortSignal;
}
export declare const SlashCommands: Point<SlashCommand>;
/** A line that names a command, and the rest of it. */
export interface ParsedCommand {
    readonly command: SlashCommand;
    readonly args: string;
}
/** Menus, parsing, help and completion all read from here. Provided by the kernel. */
export interface Commands {
    /** The command a line names; `unknown` with the nearest name when it looks like one; undefined for ordinary text. */
    parse(line: string, surface: Surface): ParsedCommand | {
        readonly unknown: string;
        readonly nearest?: string;
    } | undefined;
    on(surface: Surface): readonly SlashCommand[];
    help(surface: Surface): string;
    /** Names that begin with what was typed, slash included. */
    complete(prefix: string, surface: Surface): readonly string[];
}
export declare const Commands: Service<Commands>;
/** Whether a slash command may run. A gate that fails denies. */
export declare const CommandCalling: DecideHook<{
    readonly command: SlashCommand;
    readonly args: string;
    readonly at: CommandPlace;
}, {
    readonly allow: boolean;
    readonly reason?: string;
}>;
