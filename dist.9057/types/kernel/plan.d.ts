import type { Found } from './found.ts';
/** What should run. */
export interface Wanted {
    /** Plugins asked for by name: whoever owns the command that was typed, say. */
    readonly names: readonly string[];
    /** `plugins.enabled` and `plugins.disabled` of config.yaml. */
    readonly enabled?: ReadonlySet<string>;
    readonly disabled?: ReadonlySet<string>;
    /** Services that are there without any plugin: the kernel's own. */
    readonly given?: ReadonlySet<string>;
}
/** What will be loaded, in the order to set up, and why each other plugin is left out. */
export interface Plan {
    readonly load: Found[];
    readonly leftOut: Map<string, string>;
}
/**
 * A plugin is loaded when it is asked for, when a loaded plugin requires a service it provides, or when a service in
 * its `with` is loaded. What users bring runs only once it is named in `plugins.enabled`.
 */
export declare function plan(all: readonly Found[], wanted: Wanted): Plan;
