/** What one generation of a plugin has registered. Closing runs every disposer, last first, whatever fails. */
import type { Disposer } from '../sdk/plugin.ts';
import type { Clock } from '../sdk/ports.ts';
export declare class Scope {
    #private;
    readonly signal: AbortSignal;
    /** Returns a disposer that may be called early; closing then skips it. After closing it runs at once. */
    defer(disposer: Disposer): Disposer;
    get size(): number;
    close(clock: Clock, onError: (error: unknown) => void): Promise<void>;
}
