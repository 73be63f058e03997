/** Time that passes when a test says so. */
import type { Clock } from '../ports.ts';
/** A clock that stands still until `advance` is called. */
export interface VirtualClock extends Clock {
    /** Lets `ms` pass; timers run in order, and what they started gets its turn in between. */
    advance(ms: number): Promise<void>;
    /** Timers that are waiting. */
    pending(): number;
}
/** Starts at `startAt` (default 2026-01-01T00:00:00Z). */
export declare function virtualClock(startAt?: number): VirtualClock;
