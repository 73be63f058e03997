/** The values of a `config.yaml`, or what is wrong with it and where. */
export type ParsedYaml = {
    readonly values: Record<string, unknown>;
} | {
    readonly message: string;
    readonly line: number;
    readonly hint: string;
};
export declare function parseYaml(text: string): ParsedYaml;
