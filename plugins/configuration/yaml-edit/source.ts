/** A YAML text with its values, its tokens and, when it cannot be used, where and what to do. */
import { errorMessage, SvcError } from 'svc/sdk'
import type { YamlError } from 'svc/sdk/host'
import { type Alias, type Document, LineCounter, parseDocument, visit } from 'yaml'

export type Values = Record<string, unknown>

/** A text that could be parsed. */
export interface YamlSource {
  readonly text: string
  readonly document: Document.Parsed
  readonly values: Values
  /** The line of an offset, from 1. */
  line(offset: number): number
}

const hints: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'keep one of the two',
  TAB_AS_INDENT: 'indent with spaces, not tabs',
  MULTIPLE_DOCS: 'keep one document: remove this "---" line',
  BAD_ALIAS: 'define the anchor (&name) before the alias (*name) that uses it',
}
const otherwise = 'correct that line'

/** Parses a text that holds a mapping, or nothing at all. */
export function parseSource(text: string): YamlSource | YamlError {
  const lines = new LineCounter()
  const document = parseDocument(text, { keepSourceTokens: true, lineCounter: lines, prettyErrors: false })
  const fault = (offset: number, message: string, hint: string): YamlError => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1), message, hint }
  }
  const [error] = document.errors
  if (error) return fault(error.pos[0], readable(error.message), hints[error.code] ?? otherwise)
  const lost = unresolvedAlias(document)
  if (lost)
    return fault(
      lost.range?.[0] ?? 0,
      `there is no anchor &${lost.source} for this alias`,
      hints['BAD_ALIAS'] ?? otherwise,
    )
  let values: unknown
  try {
    values = document.toJS({ maxAliasCount: 1000 }) ?? {}
  } catch (cause) {
    return fault(0, errorMessage(cause), 'use fewer aliases')
  }
  if (typeof values !== 'object' || Array.isArray(values))
    return fault(
      document.contents?.range[0] ?? 0,
      'the file must hold keys and values',
      'begin it with a key, such as "name:"',
    )
  return { text, document, values: values as Values, line: (offset) => lines.linePos(offset).line }
}

/** The same, as an error that says where and what to do. Throws `YAML_UNREADABLE`. */
export function readSource(text: string): YamlSource {
  const source = parseSource(text)
  if ('values' in source) return source
  const { line, column, message, hint } = source
  const what = `Line ${line}, column ${column}: ${message.replace(/[.:]?$/, '.')} What to do: ${hint}.`
  throw new SvcError('YAML_UNREADABLE', what, { status: 400 })
}

function unresolvedAlias(document: Document.Parsed): Alias | undefined {
  let found: Alias | undefined
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document)) return undefined
      found = alias
      return visit.BREAK
    },
  })
  return found
}

/** The library glues the missing quote to the word: `closing "quote`. */
function readable(message: string): string {
  return message.replace(/(["'])quote\b/, '$1 quote')
}
