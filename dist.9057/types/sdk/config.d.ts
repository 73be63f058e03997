/** The user's configuration: reading it (kernel) and changing it (plugin `config`). */
import { type NotifyHook, type Service } from './token.ts';
/** Something wrong with `config.yaml` or `.env`, said for people. */
export interface ConfigProblem {
    /** `error`: the value is not used; `warning`: it is kept but nothing reads it. */
    readonly severity: 'error' | 'warning';
    /** Dotted path, or empty for the whole file. */
    readonly path: string;
    readonly message: string;
    /** What to type or change. */
    readonly hint?: string;
    readonly line?: number;
}
/** Read access. Values have `${VAR}` expanded; a broken file leaves the last good values in place. */
export interface Config {
    /** The file, whether or not it exists. */
    readonly file: string;
    /** The value at a dotted path, or undefined. */
    get(path: string): unknown;
    problems(): readonly ConfigProblem[];
}
export declare const Config: Service<Config>;
/** One edit: set a value, or remove it when `value` is undefined. */
export interface ConfigEdit {
    readonly path: string;
    readonly value: unknown;
}
/** A change that was written, as `svc config undo` lists it. */
export interface ConfigChange {
    readonly id: number;
    readonly at: number;
    /** Who asked: a plugin or a command. */
    readonly author: string;
    readonly reason: string;
    /** Unified diff; secret values masked. */
    readonly diff: string;
}
/** The one writer of `config.yaml` and `.env`. Minimal edits that keep comments, order and quoting. */
export interface ConfigFile {
    /** Writes edits in one step and journals them. Refuses (`CONFIG_UNREADABLE`) when the file cannot be parsed. */
    write(edits: readonly ConfigEdit[], by: {
        author: string;
        reason: string;
    }): Promise<ConfigChange | undefined>;
    /** Takes back the newest change, or the one with this id; `CONFIG_UNDO_CONFLICT` when later edits touch it. */
    undo(id?: number): Promise<ConfigChange>;
    /** Newest first. */
    history(): Promise<readonly ConfigChange[]>;
}
export declare const ConfigFile: Service<ConfigFile>;
/** The config was read again; `paths` are the top-level blocks that differ. */
export declare const ConfigChanged: NotifyHook<{
    readonly paths: readonly string[];
}>;
