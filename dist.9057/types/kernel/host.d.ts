import type { Logger, Plugin } from '../sdk/plugin.ts';
import type { PluginProblem, PluginStatus } from '../sdk/plugins.ts';
import type { Found } from './found.ts';
import type { Handles } from './handles.ts';
import type { HookTable } from './hooks.ts';
import { type Owner } from './owner.ts';
import type { Points } from './points.ts';
import type { Ports } from './ports.ts';
import type { Services } from './services.ts';
/** Milliseconds that each stage of a plugin's life may take. */
export interface StageLimits {
    readonly import: number;
    readonly setup: number;
    readonly start: number;
}
/** What a host needs of the kernel. */
export interface Ground {
    readonly hooks: HookTable;
    readonly services: Services;
    readonly points: Points;
    readonly ports: Ports;
    readonly limits: StageLimits;
    readonly handles: Handles | undefined;
    logOf(plugin: string): Logger;
    moduleOf(found: Found): Promise<Plugin>;
    /** The values of the plugin's config block. */
    blockOf(found: Found): unknown;
    dataDirOf(plugin: string): string;
    report(problem: Omit<PluginProblem, 'at'>, error: unknown): void;
}
export declare class Host {
    #private;
    readonly found: Found;
    readonly owner: Owner;
    /** Work that must end before the generation may be closed. */
    holds: number;
    constructor(found: Found, owner: Owner, ground: Ground);
    get name(): string;
    get failed(): boolean;
    get reason(): string | undefined;
    get status(): PluginStatus;
    /** Imports the code, checks the config, runs `setup`, and compares what it registered with its manifest. */
    load(): Promise<boolean>;
    start(): Promise<boolean>;
    /** Nobody finds it from now on; it stays alive for the work that began with it. */
    retire(): void;
    /** Undoes everything; reports what could not be undone. */
    close(): Promise<void>;
    /** What it holds now, by kind. */
    holdings(): Record<string, number>;
}
/** The config block of a plugin. */
export declare function blockPath({ manifest }: Found): string;
