/** A YAML text as plain data: its values, and where each entry stands. */
import type { ParsedYaml, YamlError, YamlLocation } from 'svc/sdk/host'
import { isCollection, isMap, isScalar, isSeq, type Node } from 'yaml'
import { parseSource, type YamlSource } from './source.ts'
import type { Path } from './steps.ts'

/** The values and places of a text, or why it cannot be used. */
export function parseText(text: string): ParsedYaml | YamlError {
  const source = parseSource(text)
  if (!('values' in source)) return source
  return { values: source.values, places: placesUnder(source, source.document.contents, []) }
}

function placesUnder(source: YamlSource, holder: unknown, path: Path): YamlLocation[] {
  if (isMap(holder))
    return holder.items.flatMap(({ key, value }) => {
      const name = isScalar(key) ? String(key.value ?? '') : ''
      return placesAt(source, value, [...path, name], (key as Node).range?.[0])
    })
  if (!isSeq(holder)) return []
  return holder.items.flatMap((item, at) => placesAt(source, item, [...path, String(at)], (item as Node).range?.[0]))
}

/** The entry whose key or item begins at `start`, and what it holds. */
function placesAt(source: YamlSource, value: unknown, path: Path, start = 0): YamlLocation[] {
  const range = isScalar(value) ? value.range : undefined
  const span = range && range[1] > range[0] ? { span: [range[0], range[1]] as const } : {}
  const place = { path, line: source.line(start), ...span }
  return isCollection(value) ? [place, ...placesUnder(source, value, path)] : [place]
}
