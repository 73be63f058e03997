import type { Contributions, Disposer } from '../sdk/plugin.ts';
import type { Point } from '../sdk/token.ts';
import { type Owner } from './owner.ts';
export declare class Points {
    #private;
    add<T>(point: Point<T>, item: T, owner: Owner): Disposer;
    /** The view that `viewer` has of a point. */
    view<T>(point: Point<T>, viewer: Owner): Contributions<T>;
    /** A generation appeared or went: tell whoever watches what it contributed to. */
    refresh(owners: readonly Owner[]): void;
    /** What one generation has contributed: keys by point. */
    ownedBy(owner: Owner): Record<string, string[]>;
}
