import type { Clock, Net, Random } from '../sdk/ports.ts';
/** What the outside world is to a run. */
export interface Ports {
    readonly clock: Clock;
    readonly random: Random;
    readonly net: Net;
    /** The process environment. */
    readonly env: Readonly<Record<string, string | undefined>>;
}
export declare const realClock: Clock;
export declare const realRandom: Random;
/** HTTP over kept-alive connections; its code is loaded at the first request. */
export declare function realNet(clock: Clock): Net & {
    close(): void;
};
/** Everything real. */
export declare function realPorts(env?: Ports['env']): Ports & {
    close(): void;
};
