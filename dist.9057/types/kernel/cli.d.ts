import type { CliCommand, CliIo } from '../sdk/cli.ts';
/** Runs what was typed after `svc <command>`. `path` is what was typed so far, for help. Returns the exit code. */
export declare function runCommand(command: CliCommand, argv: readonly string[], io: CliIo, path: string): Promise<number>;
/** How an error is said and what the exit code is. Nobody is shown a stack trace for a mistake of theirs. */
export declare function failure(error: unknown): {
    text: string;
    code: number;
};
/** What `--help` prints. */
export declare function commandHelp(command: CliCommand, path: string): string;
/** Two columns of text, indented. */
export declare function columns(rows: readonly (readonly string[])[]): string;
