/** Which generation of each plugin serves, and when a replaced one may be closed. */
import type { Disposer } from '../sdk/plugin.ts';
import type { Host } from './host.ts';
import type { Owner } from './owner.ts';
/**
 * Work pins the moment it began. A generation that was replaced is closed once no pin is as old as its replacement:
 * whatever began with it has ended. No call has to go through a proxy for that.
 */
export declare class Generations {
    #private;
    /** `changed` is told which owners appeared or went, right after it happened. */
    constructor(changed: (owners: readonly Owner[]) => void);
    /** The owner of a plugin's next generation. */
    next(name: string, batch: object): Owner;
    add(host: Host): void;
    live(name: string): Host | undefined;
    all(): readonly Host[];
    /** Generations that were replaced and still have work to finish. */
    get draining(): number;
    /** A plugin and all that require what it provides, in the order they were loaded. */
    withDependents(name: string): Host[];
    /** In one step nobody sees the old hosts any more and everybody the fresh ones; then closes what can be closed. */
    swap(old: readonly Host[], fresh: readonly Host[]): Promise<void>;
    pin(): Disposer;
    /** Keeps one generation alive: for the command that it is running. */
    hold(host: Host): Disposer;
    /** Closes all, the newest first, whatever still runs. */
    closeAll(): Promise<void>;
}
