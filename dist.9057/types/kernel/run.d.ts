/** Runs one shell command: boots, loads the plugin that owns it, runs it, and stops. */
import { type CliIo } from '../sdk/cli.ts';
import { type BootOptions } from './boot.ts';
import type { Kernel } from './kernel.ts';
/** What was typed: the command, the plugin that owns it, and the rest. */
export interface Typed {
    readonly command: string;
    readonly plugin: string;
    readonly argv: readonly string[];
}
/** The whole life of `svc <command>`. Returns the exit code. */
export declare function run(typed: Typed, options: BootOptions): Promise<number>;
/** Loads the owner of a command and runs it. */
export declare function runLoaded(kernel: Kernel, typed: Typed, io: CliIo): Promise<number>;
