import type { Found } from './found.ts';
import type { StageLimits } from './host.ts';
import { Kernel } from './kernel.ts';
import { type Ports } from './ports.ts';
export interface BootOptions {
    readonly env: Readonly<Record<string, string | undefined>>;
    /** The folder whose project plugins may be loaded. */
    readonly cwd: string;
    readonly profile?: string;
    /** Instead of SVC_HOME. */
    readonly home?: string;
    readonly ports?: Partial<Ports>;
    /** Plugins that the embedding program brings along. */
    readonly embedded?: readonly Found[];
    /** Stands in for config.yaml. */
    readonly config?: Record<string, unknown>;
    readonly limits?: Partial<StageLimits>;
    readonly audit?: boolean;
}
export interface Booted {
    readonly kernel: Kernel;
    /** Things the user should know, one sentence each. */
    readonly warnings: readonly string[];
    stop(): Promise<void>;
}
/** Nothing is loaded yet. Throws `HOME_UNUSABLE` or `PROFILE_UNKNOWN`. */
export declare function boot(options: BootOptions): Promise<Booted>;
