import type { Disposer, ListenOptions } from '../sdk/plugin.ts';
import type { Clock } from '../sdk/ports.ts';
import type { Hook } from '../sdk/token.ts';
import { type Owner } from './owner.ts';
type AnyHook = Hook<unknown, unknown, unknown, unknown>;
type Listener = (...args: unknown[]) => unknown;
/** Told of every failure; `suspended` when it was the one too many. */
export type OnListenerError = (owner: Owner, hook: string, error: unknown, suspended: boolean) => void;
export declare class HookTable {
    #private;
    constructor(clock: Clock, onError: OnListenerError);
    on(hook: AnyHook, owner: Owner, listener: Listener, options?: ListenOptions): Disposer;
    /** Calls under way finish with the listeners they started with. */
    call(hook: AnyHook, value: unknown, context?: unknown): Promise<unknown>;
    /** A generation appeared or went. */
    refresh(): void;
    /** How many listeners a generation has, and how many of them are suspended. */
    ownedBy(owner: Owner): {
        taps: number;
        suspended: number;
    };
}
export {};
