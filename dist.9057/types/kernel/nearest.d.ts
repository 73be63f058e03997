/** The nearest name, when it is near enough that a typo is likely. */
export declare function nearest(typed: string, names: readonly string[]): string | undefined;
