/** The address to import the plugin in `dir` from; bundles it under `cache` when its contents are new. */
export declare function stage(dir: string, cache: string): Promise<string>;
