/** Values as YAML text, in the manner of the text they go into. */
import { Document, isMap, type Pair, type Scalar, visit, type YAMLMap, type YAMLSeq } from 'yaml'
import type { YamlSource } from './source.ts'

/** How a text is written. */
export interface Style {
  readonly indent: number
  /** List items stand deeper than the key of their list. */
  readonly indentSeq: boolean
  readonly singleQuote: boolean
}

/** What the place of a value asks for. */
export interface InlineOptions {
  /** Inside `[]` or `{}`. */
  readonly inFlow: boolean
  /** The quotes that texts get. */
  readonly quote?: 'single' | 'double' | undefined
}

/** Lists of plain values up to this width stay on one line. */
const FLOW_WIDTH = 60

/** The manner of a text, read off its first nested block and the quotes it uses more. */
export function detectStyle(source: YamlSource): Style {
  let indent: number | undefined
  let indentSeq: boolean | undefined
  let single = 0
  visit(source.document, {
    Pair(_key, pair) {
      const token = (pair as Pair).srcToken
      const value = token?.value
      if (!token?.key || !('indent' in token.key) || !value) return
      if (value.type === 'block-map') indent ??= value.indent - token.key.indent
      if (value.type === 'block-seq') indentSeq ??= value.indent > token.key.indent
    },
    Scalar(_key, scalar) {
      if (scalar.type === 'QUOTE_SINGLE') single++
      if (scalar.type === 'QUOTE_DOUBLE') single--
    },
  })
  return {
    indent: indent && indent > 0 && indent < 10 ? indent : 2,
    indentSeq: indentSeq ?? true,
    singleQuote: single > 0,
  }
}

/** A value on one line. */
export function renderInline(value: unknown, style: Style, options: InlineOptions): string {
  if (typeof value === 'string') {
    if (/[\n\r]/.test(value) || options.quote === 'double') return JSON.stringify(value)
    if (options.quote === 'single' && isPrintable(value)) return `'${value.replaceAll("'", "''")}'`
  }
  if (!options.inFlow && !isContainer(value)) return toText(new Document(value, documentOptions), style)
  const document = new Document([value], documentOptions)
  const list = document.contents as unknown as YAMLSeq
  list.flow = true
  if (options.quote === 'double') quoteTexts(document)
  return toText(document, style).slice(1, -1)
}

/** The key of a mapping, with its quotes if it needs any. */
export function renderKey(key: string, style: Style, options: InlineOptions): string {
  if (options.quote === 'double') return JSON.stringify(key)
  const document = new Document({ [key]: 0 }, documentOptions)
  if (options.inFlow) (document.contents as unknown as YAMLMap).flow = true
  const text = toText(document, style)
  return (options.inFlow ? text.slice(1, -1) : text).slice(0, -': 0'.length)
}

/** A mapping or list as the lines of a block, not indented. */
export function renderLines(value: object, style: Style): string[] {
  const document = new Document(value, documentOptions)
  visit(document, {
    Seq(_key, list) {
      if (list !== (document.contents as unknown) && fitsOneLine(list, style)) list.flow = true
    },
  })
  return toText(document, style).split('\n')
}

/** Indents all lines that are not empty. */
export function indentLines(lines: readonly string[], width: number): string[] {
  return lines.map((line) => (line === '' ? line : ' '.repeat(width) + line))
}

/** Whether a value reads better as a block. */
export function wantsBlock(value: unknown, style: Style): boolean {
  if (!isContainer(value) || Object.keys(value).length === 0) return false
  if (!Array.isArray(value)) return true
  return value.some(isContainer) || renderInline(value, style, { inFlow: false }).length > FLOW_WIDTH
}

// `compat` also quotes what older YAML readers would take for something else: yes, on, 12:30, 2024-01-01.
const documentOptions = { compat: 'yaml-1.1', aliasDuplicateObjects: false } as const

function toText(document: Document, style: Style): string {
  const text = document.toString({
    indent: style.indent,
    indentSeq: style.indentSeq,
    singleQuote: style.singleQuote ? true : null,
    lineWidth: 0,
    minContentWidth: 0,
    flowCollectionPadding: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  })
  return text.replace(/\n$/, '')
}

function fitsOneLine(list: YAMLSeq, style: Style): boolean {
  if (list.items.some((item) => 'items' in (item as object))) return false
  return renderInline(list.toJSON(), style, { inFlow: false }).length <= FLOW_WIDTH
}

/** JSON has its texts and keys in double quotes. */
function quoteTexts(document: Document): void {
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === 'string') scalar.type = 'QUOTE_DOUBLE'
    },
    Pair(_key, pair) {
      const key = pair.key as Scalar
      if (!isMap(key) && typeof key.value === 'string') key.type = 'QUOTE_DOUBLE'
    },
  })
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isPrintable(text: string): boolean {
  return !/[\u0000-\u001f\u007f-\u009f\ufeff\u2028\u2029]/.test(text)
}
