import fc from 'fast-check'
import { formatConfigPath, getAtPath } from 'svc/sdk/host'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseText } from '../../../../plugins/configuration/yaml-edit/parse.ts'
import { listPaths, yamlDocument } from '../../../support/yaml-documents.ts'

/** The places of a text that can be used, keyed by their paths. */
function parsePlaces(text: string) {
  const parsed = parseText(text)
  if (!('places' in parsed)) throw new Error(`${parsed.message}\n${text}`)
  return Object.fromEntries(parsed.places.map((place) => [formatConfigPath(place.path), place]))
}

describe('a YAML text taken apart', () => {
  it('says on which line each key and item stands', () => {
    const text = '# head\na: 1\nb:\n  - x\n  - {k: 2}\nc: {d:\n  3}\n'
    const lines = Object.entries(parsePlaces(text)).map(([path, { line }]) => [path, line])
    expect(Object.fromEntries(lines)).toEqual({ a: 2, b: 3, 'b.0': 4, 'b.1': 5, 'b.1.k': 5, c: 6, 'c.d': 6 })
  })

  it('says where values stand, quotes included, but not where blocks, nothing and aliases do', () => {
    const text = 'a: &x "q"\nb: |\n  two\n  lines\nc:\nd: *x\ne: [1]\n'
    const spans = Object.entries(parsePlaces(text)).map(([path, { span }]) => [path, span && text.slice(...span)])
    expect(Object.fromEntries(spans)).toEqual({ a: '"q"', b: '|\n  two\n  lines\n', 'e.0': '1' })
  })

  it('has a place for every value of any document, in the order of the text', () => {
    fc.assert(
      fc.property(yamlDocument, (text) => {
        const parsed = parseText(text)
        if (!('places' in parsed)) throw new Error(parsed.message)
        expect(parsed.places.map(({ path }) => path)).toEqual(expect.arrayContaining(listPaths(parsed.values)))
        const lines = parsed.places.map(({ line }) => line)
        expect(lines).toEqual(lines.toSorted((a, b) => a - b))
        for (const { path, span } of parsed.places)
          if (span && !/^[|>]/.test(text.slice(...span)))
            expect(parse(text.slice(...span))).toEqual(getAtPath(parsed.values, path))
      }),
      { numRuns: 100 },
    )
  })

  it('may hold nothing yet, and is at fault with line, column and advice otherwise', () => {
    expect(parseText('# empty\n')).toEqual({ values: {}, places: [] })
    expect(parseText('a: 1\na: 2\n')).toMatchObject({ line: 2, column: 1, hint: 'keep one of the two' })
  })
})
