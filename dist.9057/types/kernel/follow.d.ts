import type { Kernel } from './kernel.ts';
/** Edits come in bursts; what they touched is handled once they settle. */
export declare class ConfigFollower {
    #private;
    constructor(kernel: Kernel);
    start(): Promise<void>;
    stop(): Promise<void>;
}
