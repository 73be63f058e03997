import type { Config, ConfigProblem } from '../sdk/config.ts';
import type { Secrets } from '../sdk/secrets.ts';
type Values = Record<string, unknown>;
/** The configuration of one home. `load` reads it again; a file that is broken leaves everything as it was. */
export declare class ConfigStore implements Config {
    #private;
    file: string;
    readonly secrets: Secrets;
    /** `overlay` stands in for the file: what an embedding program or a test configures. */
    constructor(home: string, env: Readonly<Record<string, string | undefined>>, overlay?: Values);
    /** Returns the top-level blocks that differ from before. */
    load(): Promise<string[]>;
    get(path: string): unknown;
    problems(): readonly ConfigProblem[];
    /** Top-level blocks that nothing reads; `owned` are the blocks that plugins own. */
    unknownBlocks(owned: readonly string[]): ConfigProblem[];
}
export {};
