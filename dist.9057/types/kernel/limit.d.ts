import type { Clock } from '../sdk/ports.ts';
/**
 * The result of `work`, or `PLUGIN_TIMEOUT` after `ms`. The work's signal aborts then; what it does later is ignored.
 * Work that answers at once costs no timer. `ms` 0 means no limit.
 */
export declare function within<T>(clock: Clock, ms: number, what: string, work: (signal: AbortSignal) => T | Promise<T>): Promise<T>;
