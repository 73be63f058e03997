/** What was typed on a command line as a value: YAML on one line, unless its owner wants a text. */
import { SvcError } from 'svc/sdk'
import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { childSchema, isSecretSchema, type JsonSchema, open, wantsText } from './json-schema.ts'

const words: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
}

/** The value that a person means. Throws `CONFIG_INVALID` for a list or mapping that does not parse. */
export function typedValue(text: string, schema: JsonSchema = open): unknown {
  if (wantsText(schema) || isSecretSchema(schema)) return text
  const word = words[text.toLowerCase()]
  if (word !== undefined) return word
  const document = parseDocument(text, { intAsBigInt: true, prettyErrors: false })
  const isFlow = /^\s*[[{]/.test(text)
  const [error] = document.errors
  if (error && isFlow) {
    const message = `${text} is not a list or mapping: ${error.message} Write [a, b] or {key: value}, or quote the whole text.`
    throw new SvcError('CONFIG_INVALID', `${message} Nothing was written.`, { status: 400 })
  }
  const { contents } = document
  const isWhole = isScalar(contents) && contents.range?.[0] === 0 && contents.range[1] === text.length
  if (error || text === '' || !(isFlow || isWhole)) return text
  return toValue(contents, schema)
}

/** Numbers that a text was wanted for, or that a number cannot hold, stay as typed. */
function toValue(node: unknown, schema: JsonSchema): unknown {
  if (isSeq(node)) return node.items.map((item) => toValue(item, childSchema(schema, '0') ?? open))
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }) => {
      const name = isScalar(key) ? String(key.source ?? key.value) : String(key)
      return [name, toValue(value, childSchema(schema, name) ?? open)] as const
    })
    return Object.fromEntries(entries)
  }
  if (!isScalar(node)) return null
  const { value, source } = node
  if (typeof value === 'bigint')
    return wantsText(schema) || !Number.isSafeInteger(Number(value)) ? (source ?? String(value)) : Number(value)
  return wantsText(schema) && value !== null && typeof value !== 'string' ? (source ?? String(value)) : value
}
