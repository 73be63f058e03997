import type { Plugin } from '../sdk/plugin.ts';
import type { Found } from './found.ts';
/** Built-in plugins are files beside the kernel, in its own form; those of users are bundled under `cache` first. */
export declare function importPlugin(found: Found, cache: string): Promise<Plugin>;
