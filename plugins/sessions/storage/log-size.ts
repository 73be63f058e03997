/** What the log of a database has at most, as a rule. A larger one is reported, and written back when a person asks for the repair. */
export const LARGE_LOG_BYTES: number = 50 * 2 ** 20
