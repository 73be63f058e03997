/**
 * One generation of one plugin. All it registers carries it, so a whole generation appears, or goes, in one step:
 * `pending` is seen by its own batch only, `live` by all, `retired` by none.
 */
export interface Owner {
    readonly name: string;
    readonly generation: number;
    readonly batch: object;
    state: 'pending' | 'live' | 'retired';
}
/** The kernel itself: always live. */
export declare const kernelOwner: Owner;
/** Whether `viewer` may see what `owner` registered. */
export declare function sees(viewer: Owner, owner: Owner): boolean;
/** Runs a plugin's code so that timers, promises and stray errors that come of it can be traced to it. */
export declare function runAs<T>(owner: Owner, work: () => T): T;
/** The plugin whose code is running now. */
export declare function currentOwner(): Owner | undefined;
