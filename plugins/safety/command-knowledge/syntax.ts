/** Shell text in its structure, for the reader that must know all of it. */

/** A piece of a word as it is written. `quoted` pieces are neither split nor matched with files. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  /** `$name` or `${name...}`; `rest` is what follows the name in the braces. */
  | { readonly kind: 'variable'; readonly name: string; readonly rest: string; readonly quoted: boolean }
  /** `$(...)` and backquotes; `file`: `<(...)`. */
  | { readonly kind: 'script'; readonly list: List; readonly quoted: boolean; readonly as: 'text' | 'file' }
  /** `$((...))` over numbers and names, and `${#name}`. */
  | { readonly kind: 'number'; readonly names: readonly string[]; readonly quoted: boolean }

export type Word = readonly Piece[]

export interface Redirect {
  /** `<`, `>`, `>>`, `>|`, `&>`, `&>>`, `>&`, `<&`, `<<`, `<<<`. */
  readonly operator: string
  readonly target: Word
}

export interface Assignment {
  readonly name: string
  readonly value: Word
}

export type Command =
  | {
      readonly kind: 'simple'
      readonly assigns: readonly Assignment[]
      readonly words: readonly Word[]
      readonly redirects: readonly Redirect[]
    }
  | {
      readonly kind: 'group'
      readonly list: List
      /** In a subshell: nothing in it persists. */
      readonly own: boolean
      readonly redirects: readonly Redirect[]
    }
  | {
      readonly kind: 'if'
      readonly branches: readonly (readonly [condition: List, body: List])[]
      readonly otherwise: List
      readonly redirects: readonly Redirect[]
    }
  | {
      readonly kind: 'for'
      readonly name: string
      readonly words: readonly Word[]
      readonly body: List
      readonly redirects: readonly Redirect[]
    }
  | { readonly kind: 'while'; readonly condition: List; readonly body: List; readonly redirects: readonly Redirect[] }
  | {
      readonly kind: 'case'
      readonly word: Word
      readonly branches: readonly List[]
      readonly redirects: readonly Redirect[]
    }

/** Commands joined by `|`. */
export type Pipeline = readonly Command[]

/** Pipelines joined by `&&` and `||`. */
export interface Chain {
  readonly first: Pipeline
  readonly more: readonly (readonly [operator: '&&' | '||', pipeline: Pipeline])[]
  readonly background: boolean
}

export type List = readonly Chain[]

/** Something that is not understood; the message is a phrase for people. */
export class NotUnderstood extends Error {}
