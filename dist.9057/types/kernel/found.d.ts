/** A plugin folder as discovery sees it, and the check of its `plugin.json`. */
import type { Manifest } from '../sdk/manifest.ts';
import type { Plugin } from '../sdk/plugin.ts';
import type { PluginOrigin } from '../sdk/plugins.ts';
/** The version of the SDK that this kernel offers. */
export declare const SDK_VERSION = "0.1.0";
/** A plugin that could be loaded, or the reason why not. */
export interface Found {
    readonly manifest: Manifest;
    readonly origin: PluginOrigin;
    readonly dir: string;
    /** Why it must not be loaded. */
    readonly problem?: string;
    /** Its code, when the embedding program brought it along. */
    readonly plugin?: Plugin;
}
/** What is wrong with a parsed `plugin.json`, as a sentence, or undefined. Unknown fields are an error: they are typos. */
export declare function manifestProblem(value: unknown): string | undefined;
/** Why the plugin does not fit this SDK, or undefined. */
export declare function sdkProblem(manifest: Manifest): Promise<string | undefined>;
