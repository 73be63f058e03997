/**
 * The one error class. `code` is stable and documented (each owner lists its codes in an `errors.ts`);
 * `message` is a sentence for people that says what to do; `status` is the HTTP status it maps to.
 */
export declare class SvcError extends Error {
    readonly code: string;
    readonly status: number;
    constructor(code: string, message: string, options?: {
        status?: number;
        cause?: unknown;
    });
}
/** Codes of one owner with a sentence each on what happened and what to do. The default export of an `errors.ts`. */
export type ErrorCatalog = Readonly<Record<string, string>>;
/** The documented code of an error, or `INTERNAL` for one that is not ours. Works across copies of the SDK. */
export declare function errorCode(error: unknown): string;
/** What an error says, whatever was thrown. */
export declare function errorMessage(error: unknown): string;
