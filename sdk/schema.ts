/**
 * The part of Standard Schema that the program needs (https://standardschema.dev); every zod schema satisfies it.
 * `jsonSchema` is its JSON Schema companion, which tools need to describe their parameters to the model.
 * @since 0.1
 */
export interface Schema<Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: {
      readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown>
      /** Of the value after the check: with its defaults. */
      readonly output?: (options: { target: 'draft-2020-12' }) => Record<string, unknown>
    }
  }
}

/** A parsed value, or the issues that stood in its way. @since 0.1 */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** One thing wrong with a value, and where in it. @since 0.1 */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The path of an issue as dotted text; empty for the value itself. @since 0.2 */
export function formatIssuePath(issue: SchemaIssue): string {
  return (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
}

/**
 * A value whose type TypeScript does not know, where a cast would check no more: the input of another plugin's tool, JSON
 * without a schema. Reading a member of it compiles; that it is there is up to the reader.
 * @since 0.2
 */
// biome-ignore lint/suspicious/noExplicitAny: what `JSON.parse` and `Response.json` return, too
export type Unchecked = any
