/** Storage: one SQLite file per owner. Provided by the plugin `storage`. */
import type { Disposer } from './plugin.ts';
import { type Service } from './token.ts';
/** A value that SQLite holds. */
export type SqlValue = string | number | bigint | Uint8Array | null;
/** A prepared statement; keep it, preparing costs more than running. */
export interface Statement<Row = Record<string, SqlValue>> {
    run(...values: SqlValue[]): {
        readonly changes: number;
        readonly lastInsertRowid: number | bigint;
    };
    get(...values: SqlValue[]): Row | undefined;
    all(...values: SqlValue[]): Row[];
}
/** An open database: WAL, one writer process at a time per transaction, foreign keys on. */
export interface Database {
    readonly file: string;
    prepare<Row = Record<string, SqlValue>>(sql: string): Statement<Row>;
    exec(sql: string): void;
    /** Runs `work` in one immediate transaction. With `sync` the commit survives a power cut. */
    transaction<T>(work: () => T, options?: {
        readonly sync?: boolean;
    }): T;
    readonly close: Disposer;
}
/** How a database is opened. */
export interface DatabaseOptions {
    /** An absolute path; its folder is made. */
    readonly file: string;
    /** Steps in order, each run once in a transaction; the file remembers how many it has had. */
    readonly migrations: readonly string[];
}
/** A corrupt file is kept aside, replaced by the newest good backup or an empty one, and reported. */
export interface Storage {
    /** Throws `STORAGE_UNAVAILABLE` (full disk, no rights) or `STORAGE_TOO_NEW`. */
    open(options: DatabaseOptions): Database;
}
export declare const Storage: Service<Storage>;
