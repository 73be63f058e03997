import { type OpenOptions, type OpenSvc } from 'svc';
import type { PluginProblem } from '../plugins.ts';
/** What a shell command said. */
export interface CliResult {
    readonly code: number;
    readonly out: string;
    readonly err: string;
}
/** What a shell command is given. */
export interface CliSetting {
    readonly stdin?: string | Uint8Array;
    /** Answers to its questions, in order; the terminal ends after them. */
    readonly answers?: readonly string[];
    readonly interactive?: boolean;
    readonly cwd?: string;
    readonly signal?: AbortSignal;
}
/** An open runtime for one test. */
export interface TestKernel extends Omit<OpenSvc, 'run'> {
    problems(): readonly PluginProblem[];
    run(argv: readonly string[], setting?: CliSetting): Promise<CliResult>;
    [Symbol.asyncDispose](): Promise<void>;
}
/**
 * Opens a runtime that shares nothing with the machine: a fresh home (removed by `stop` unless one was given), an
 * empty environment, and only the plugins that are named.
 */
export declare function testKernel(options?: OpenOptions): Promise<TestKernel>;
