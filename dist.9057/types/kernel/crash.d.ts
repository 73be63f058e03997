import type { Kernel } from './kernel.ts';
/** What a run hears of signals. */
export interface Interruption {
    /** Aborted at the first Ctrl-C, SIGTERM or SIGHUP. */
    readonly signal: AbortSignal;
    /** The exit code that the signal asks for, once there was one. */
    readonly exitCode: () => number | undefined;
    readonly stop: () => void;
}
/** The first signal asks for an end, the second of Ctrl-C forces it. */
export declare function onSignals(): Interruption;
/**
 * An error that nobody caught. When it comes of a plugin's code the plugin is named and the program goes on; otherwise
 * `fatal` is called. The returned function takes the handlers off.
 */
export declare function onStrayErrors(kernel: Kernel, fatal: (error: unknown) => void): () => void;
