/** What is used of highlight.js: https://highlightjs.readthedocs.io/en/latest/api.html */

/** `_top` is what is open at the end; only the language itself has no parent. */
interface Highlighted {
  readonly value: string
  readonly _top?: { readonly parent?: unknown }
}

interface Highlighter {
  highlight(code: string, options: { readonly language: string; readonly ignoreIllegals: boolean }): Highlighted
  getLanguage(name: string): object | undefined
  registerLanguage(name: string, grammar: Grammar): void
}

type Grammar = (highlighter: Highlighter) => object

export const highlighter: Highlighter
/** By the names of highlight.js. */
export const grammars: Readonly<Record<string, Grammar>>
