/** Shell text as it was read. */

/** A piece of a word as it is written. `quoted` pieces are not split. */
export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  /** `$name` or `${name...}`; `rest` is what follows the name in the braces. */
  | { readonly kind: 'variable'; readonly name: string; readonly rest: string; readonly quoted: boolean }
  /** `$(...)`, backquotes, `<(...)` and `>(...)`. */
  | {
      readonly kind: 'script'
      readonly script: readonly Node[]
      readonly quoted: boolean
      readonly as: 'text' | 'file'
    }

export interface Redirect {
  /** `<`, `>`, `>>`, `>|`, `&>`, `<<`, `<<<`, ... without a descriptor. */
  readonly operator: string
  readonly target: readonly Part[]
}

/** One simple command, or the start of a function that the next commands are the body of. */
export interface Node {
  readonly words: readonly (readonly Part[])[]
  readonly redirects: readonly Redirect[]
  /** Reads the output of the command before it. */
  piped: boolean
  /** Followed by `&`. */
  background: boolean
  readonly defines?: string
  /** Of a function: what is between its braces. */
  readonly body?: string
}

/** What was read. */
export interface Reading {
  readonly nodes: readonly Node[]
  /** Where comments start and end. */
  readonly comments: readonly (readonly [start: number, end: number])[]
  /** More than one command, or a redirect or a substitution. */
  readonly operators: boolean
  /** Nested too deeply to be followed. */
  readonly tangled: boolean
}
