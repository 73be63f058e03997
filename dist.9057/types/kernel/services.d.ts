import type { Disposer } from '../sdk/plugin.ts';
import type { Service } from '../sdk/token.ts';
import { type Owner } from './owner.ts';
export declare class Services {
    #private;
    provide<T extends object>(token: Service<T>, owner: Owner, make: () => T): Disposer;
    find<T>(token: Service<T>, viewer: Owner): T | undefined;
    use<T>(token: Service<T>, viewer: Owner): T;
    /** Ids of the services of one generation. */
    ownedBy(owner: Owner): string[];
}
/** A new generation of the same plugin may stand beside the one it replaces. */
export declare function replaces(owner: Owner, other: Owner): boolean;
