import { Home } from '../sdk/home.ts';
import type { Disposer, Logger, Plugin } from '../sdk/plugin.ts';
import { type PluginInfo, type PluginProblem, Plugins } from '../sdk/plugins.ts';
import type { Service } from '../sdk/token.ts';
import type { ConfigStore } from './config.ts';
import type { Found } from './found.ts';
import { Generations } from './generations.ts';
import { Handles } from './handles.ts';
import { HookTable } from './hooks.ts';
import { type Ground, type StageLimits } from './host.ts';
import type { Log } from './log.ts';
import { Points } from './points.ts';
import type { Ports } from './ports.ts';
import { Services } from './services.ts';
export interface KernelOptions {
    readonly home: Home;
    readonly config: ConfigStore;
    readonly ports: Ports;
    readonly log: Log;
    /** Everything that could be loaded; asked again before a reload. */
    readonly discover: () => Promise<readonly Found[]>;
    readonly moduleOf: (found: Found) => Promise<Plugin>;
    readonly limits?: Partial<StageLimits>;
    /** Follows timers, sockets and child processes per plugin; costs speed. */
    readonly audit?: boolean;
}
export declare class Kernel implements Ground, Plugins {
    #private;
    readonly hooks: HookTable;
    readonly services: Services;
    readonly points: Points;
    readonly ports: Ports;
    readonly home: Home;
    readonly config: ConfigStore;
    readonly limits: StageLimits;
    readonly handles: Handles | undefined;
    readonly generations: Generations;
    constructor(options: KernelOptions);
    /** Reads plugins and loads those asked for, with what they need. Failures are reported, not thrown. */
    load(names: readonly string[]): Promise<void>;
    list(): readonly PluginInfo[];
    info(name: string): PluginInfo | undefined;
    problems(): readonly PluginProblem[];
    enable(name: string): Promise<void>;
    disable(name: string): Promise<readonly string[]>;
    reload(name: string): Promise<void>;
    pin(): Disposer;
    module(name: string): Promise<Plugin>;
    /** Follows edits of config and of foreign plugins from now on. */
    follow(): Promise<void>;
    /** Reads the config again and brings the running plugins in line with it. */
    applyConfig(): Promise<void>;
    /** Ends everything, whatever still runs. */
    stop(): Promise<void>;
    use<T>(token: Service<T>): T;
    logOf(plugin: string): Logger;
    moduleOf(found: Found): Promise<Plugin>;
    blockOf(found: Found): unknown;
    dataDirOf(plugin: string): string;
    report(problem: Omit<PluginProblem, 'at'>, error: unknown): void;
}
