/** YAML to values, with the place of what is wrong. */
import { LineCounter, parseDocument } from 'yaml'
import { errorMessage } from '../../errors.ts'

/** The values of a `config.yaml`, or what is wrong with it and where. */
export type ParsedYaml =
  | { readonly values: Record<string, unknown> }
  | { readonly message: string; readonly line: number; readonly hint: string }

export function parseYaml(text: string): ParsedYaml {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const [error] = document.errors
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0])
    const message = `line ${line}, column ${col}: ${readable(error.message)}`
    return { message, line, hint: 'svc config edit' }
  }
  let values: unknown
  try {
    values = document.toJS({ maxAliasCount: 1000 })
  } catch (unresolved) {
    return { message: errorMessage(unresolved), line: 1, hint: 'svc config edit' }
  }
  if (values === null || values === undefined) return { values: {} }
  if (typeof values === 'object' && !Array.isArray(values)) return { values: values as Record<string, unknown> }
  return { message: 'it must hold keys and values, such as "model:"', line: 1, hint: 'svc config edit' }
}

/** The library glues the missing quote to the word: `closing "quote`. */
function readable(message: string): string {
  return message.replace(/(["'])quote\b/, '$1 quote')
}
