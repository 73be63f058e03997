import { type Owner } from './owner.ts';
export declare class Handles {
    #private;
    start(): void;
    stop(): void;
    /** What a generation holds open, by kind. Timers that do not keep the process alive count too. */
    ownedBy(owner: Owner): Record<string, number>;
}
