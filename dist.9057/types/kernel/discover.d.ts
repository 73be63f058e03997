import type { PluginOrigin } from '../sdk/plugins.ts';
import { type Found } from './found.ts';
/** The built-in plugins: from the index that the build writes, else from their folders. */
export declare function builtIns(): Found[];
/** The plugins that a user brought: in the home, from npm, and of the project when that is allowed. */
export declare function foreign(home: string, projectDir: string | undefined): Promise<Found[]>;
/** One folder as a plugin, checked like any other; `root` is what it must not escape. */
export declare function inspect(dir: string, origin: PluginOrigin, root: string): Found;
/** `SVC_ENABLE_PROJECT_PLUGINS`: `1|true|yes|on` in any case is on; everything not plainly off is off with a warning. */
export declare function projectPluginsEnabled(value: string | undefined): {
    on: boolean;
    warning?: string;
};
