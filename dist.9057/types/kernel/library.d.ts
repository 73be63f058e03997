/** `import { openSvc } from 'svc'`: the runtime inside another program. */
import { type CliIo } from '../sdk/cli.ts';
import type { Manifest } from '../sdk/manifest.ts';
import type { Contributions, Plugin } from '../sdk/plugin.ts';
import type { Plugins } from '../sdk/plugins.ts';
import type { Clock, Net, Random } from '../sdk/ports.ts';
import type { Hook, Point, Service } from '../sdk/token.ts';
import type { StageLimits } from './host.ts';
/** A plugin that the embedding program brings: manifest fields and code in one object; only `name` and `setup` are needed. */
export type EmbeddedPlugin = Partial<Manifest> & {
    readonly name: string;
} & Pick<Plugin<never>, 'setup'> & {
    readonly config?: Plugin<never>['config'] | string;
};
/** How to open the runtime. */
export interface OpenOptions {
    /** SVC_HOME; without it the environment decides. */
    readonly home?: string;
    /** Built-in or installed plugins to load, with what they need. */
    readonly plugins?: readonly string[];
    readonly with?: readonly EmbeddedPlugin[];
    /** Stands in for config.yaml. */
    readonly config?: Record<string, unknown>;
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly cwd?: string;
    readonly clock?: Clock;
    readonly random?: Random;
    readonly net?: Net;
    readonly limits?: Partial<StageLimits>;
    /** Follow timers, sockets and child processes per plugin. */
    readonly audit?: boolean;
}
/** An open runtime. */
export interface OpenSvc {
    readonly home: string;
    readonly plugins: Plugins;
    use<T>(token: Service<T>): T;
    find<T>(token: Service<T>): T | undefined;
    all<T>(point: Point<T>): Contributions<T>;
    call<L, V, C, R>(hook: Hook<L, V, C, R>, value: V, ...context: C extends undefined ? [] : [context: C]): Promise<R>;
    /** Reads config.yaml and .env again and brings the plugins in line. */
    applyConfig(): Promise<void>;
    /** Follows edits of config.yaml, .env and foreign plugin folders. */
    follow(): Promise<void>;
    /** Runs a shell command inside this runtime; returns its exit code. */
    run(argv: readonly string[], io: CliIo): Promise<number>;
    stop(): Promise<void>;
}
/** Opens a runtime and starts its plugins. A plugin that fails is reported by `plugins`, not thrown. */
export declare function openSvc(options?: OpenOptions): Promise<OpenSvc>;
