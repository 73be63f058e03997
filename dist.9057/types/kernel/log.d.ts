import type { Logger } from '../sdk/plugin.ts';
import type { Clock } from '../sdk/ports.ts';
import type { Secrets } from '../sdk/secrets.ts';
declare const levels: readonly ['debug', 'info', 'warn', 'error'];
export type Level = (typeof levels)[number];
export interface LogOptions {
    /** The file, or undefined to keep nothing. */
    readonly file: string | undefined;
    readonly clock: Clock;
    readonly secrets: Pick<Secrets, 'mask'>;
    /** The least level that is written (default `info`). */
    readonly level?: Level;
}
/** Makes loggers that write to one file. A log that cannot be written is said once on standard error. */
export declare class Log {
    #private;
    constructor(options: LogOptions);
    /** The logger of one plugin, or of the kernel. */
    for(plugin: string): Logger;
}
export {};
