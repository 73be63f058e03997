import fc from 'fast-check'
import { formatConfigPath, getAtPath, parseConfigPath } from 'svc/sdk/host'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { editText } from '../../../../plugins/configuration/yaml-edit/edit.ts'
import { parseText } from '../../../../plugins/configuration/yaml-edit/parse.ts'
import { findComments, listPaths, settable, yamlDocument } from '../../../support/yaml-documents.ts'

const edit = (text: string, path: string, value: unknown) =>
  editText(text, [{ path: parseConfigPath(path) ?? [], value }])
const rename = (text: string, path: string, name: string) =>
  editText(text, [{ path: parseConfigPath(path) ?? [], rename: name }])
const parseValues = (text: string) => {
  const source = parseText(text)
  if (!('values' in source)) throw new Error(`${source.message}\n${text}`)
  return source.values
}

describe('setting one key', () => {
  it('starts an empty file, and adds below comments in one that has nothing else', () => {
    expect(edit('', 'model.default', 'm')).toBe('model:\n  default: m\n')
    expect(edit('# mine\n', 'a', 1)).toBe('# mine\na: 1\n')
    expect(edit('---\n', 'a', 1)).toBe('---\na: 1\n')
  })

  it('changes a value in its line and keeps the comment beside it', () => {
    expect(edit('a: 1 # one\nb: 2\n', 'a', 5)).toBe('a: 5 # one\nb: 2\n')
  })

  it('keeps the quotes a text had', () => {
    expect(edit('a: \'x\'\nb: "y"\n', 'a', "it's")).toBe("a: 'it''s'\nb: \"y\"\n")
    expect(edit('a: \'x\'\nb: "y"\n', 'b', 'z')).toBe('a: \'x\'\nb: "z"\n')
  })

  it('adds a key at the end of its block, indented like its neighbours', () => {
    const text = 'a:\n    b: 1 # t\n    # after\n\nc: 2\n'
    expect(edit(text, 'a.d', 'x')).toBe('a:\n    b: 1 # t\n    d: x\n    # after\n\nc: 2\n')
    expect(edit(text, 'e.f', 'x')).toBe(`${text}e:\n    f: x\n`)
  })

  it('adds below a key that has no value yet, beside its comment', () => {
    expect(edit('a: # todo\nb: 1\n', 'a.c', 2)).toBe('a: # todo\n  c: 2\nb: 1\n')
  })

  it('keeps Windows line endings, a byte order mark, markers and a missing last line ending', () => {
    expect(edit('a: 1\r\nb:\r\n  c: 2\r\n', 'b.d', 3)).toBe('a: 1\r\nb:\r\n  c: 2\r\n  d: 3\r\n')
    expect(edit('\uFEFFa: 1\n', 'a', 2)).toBe('\uFEFFa: 2\n')
    expect(edit('---\na: 1\n...\n', 'b', 2)).toBe('---\na: 1\nb: 2\n...\n')
    expect(edit('a: 1', 'b', 2)).toBe('a: 1\nb: 2')
  })

  it('works inside braces and brackets', () => {
    expect(edit('m: {a: 1, b: 2} # f\n', 'm.b', 3)).toBe('m: {a: 1, b: 3} # f\n')
    expect(edit('m: {a: 1}\n', 'm.c', 'x, y')).toBe('m: {a: 1, c: "x, y"}\n')
    expect(edit('m: {}\n', 'm.c', 1)).toBe('m: {c: 1}\n')
    expect(edit('l: [\n  a, # one\n  b # two\n]\n', 'l.2', 'c')).toBe('l: [\n  a, # one\n  b, # two\n  c\n]\n')
  })

  it('keeps JSON what it is', () => {
    expect(edit('{\n  "a": 1,\n  "b": {"c": "d"}\n}\n', 'e', 'f')).toBe(
      '{\n  "a": 1,\n  "b": {"c": "d"},\n  "e": "f"\n}\n',
    )
    expect(JSON.parse(edit('{"a": {"b": true}}', 'a.c', ['x']))).toEqual({ a: { b: true, c: ['x'] } })
  })

  it('reaches list items by number and appends with the next number', () => {
    const text = 'l:\n  - x # first\n  - k: 1\n'
    expect(edit(text, 'l.0', 'z')).toBe('l:\n  - z # first\n  - k: 1\n')
    expect(edit(text, 'l.1.m', 2)).toBe('l:\n  - x # first\n  - k: 1\n    m: 2\n')
    expect(edit(text, 'l.2', 'w')).toBe('l:\n  - x # first\n  - k: 1\n  - w\n')
    expect(() => edit(text, 'l.5', 'y')).toThrow(/It has 2: 0 to 1; l\.2 adds one/)
    expect(() => edit(text, 'l.x', 'y')).toThrow(/is a list/)
  })

  it('changes only the items of a list that differ, so comments beside the others stay', () => {
    const text = 'l:\n  - a # one\n  - b # two\n  - c # three\n'
    expect(edit(text, 'l', ['a', 'c'])).toBe('l:\n  - a # one\n  - c # three\n')
    expect(edit(text, 'l', ['a', 'b', 'x', 'c'])).toBe('l:\n  - a # one\n  - b # two\n  - x\n  - c # three\n')
    expect(edit('m:\n  a: 1 # one\n  b: 2 # two\n', 'm', { a: 1, b: 3, c: 4 })).toBe(
      'm:\n  a: 1 # one\n  b: 3 # two\n  c: 4\n',
    )
  })

  it('reaches keys that hold dots when they are quoted', () => {
    expect(edit('a:\n  b.c: 1\n', 'a."b.c"', 2)).toBe('a:\n  b.c: 2\n')
    expect(edit('', 'a."b.c"', 2)).toBe('a:\n  b.c: 2\n')
  })

  it('writes a text of several lines as one when there was one, and on the line otherwise', () => {
    expect(edit('t: | # c\n  one\n  two\nb: 1\n', 't', 'uno\ndue\n')).toBe('t: | # c\n  uno\n  due\nb: 1\n')
    expect(edit('t: | # c\n  one\n  two\nb: 1\n', 't', 'x')).toBe('t: x # c\nb: 1\n')
    expect(edit('t: x\n', 't', 'uno\ndue')).toBe('t: "uno\\ndue"\n')
  })

  it('keeps an anchor, and refuses to write into an alias', () => {
    expect(edit('a: &x 5 # c\nb: *x\n', 'a', 6)).toBe('a: &x 6 # c\nb: *x\n')
    expect(edit('a: &x 5\nb: *x\n', 'b', 6)).toBe('a: &x 5\nb: 6\n')
    expect(() => edit('a: &x\n  k: 1\nb: *x\n', 'b.k', 6)).toThrow(/b is an alias/)
    expect(() => edit('a: &x 5\nb: *x\n', 'a', undefined)).toThrow(/cannot be changed without/)
  })

  it('refuses to turn a value into a block behind the back of its owner', () => {
    expect(() => edit('a: 5\n', 'a.b', 1)).toThrow('a is 5 and holds no keys, so a.b cannot be set. To make it a block')
  })

  it('leaves a text alone when the value is there, however it is written', () => {
    for (const text of ['a: 1.10\n', "a:   '${X}'   # c\n", 'a: {b:  [1,2]}\n'])
      expect(edit(text, 'a', parseValues(text)['a'])).toBe(text)
  })

  it('quotes what other YAML readers would take for something else', () => {
    expect(edit('', 'a', 'yes')).toBe('a: "yes"\n')
    expect(edit('', 'a', '12:30')).toBe('a: "12:30"\n')
  })
})

describe('removing a key', () => {
  it('takes its lines and nothing else', () => {
    expect(edit('# h\na: 1 # one\n# about b\nb:\n  c: 2\n  d: 3\n', 'a', undefined)).toBe(
      '# h\n# about b\nb:\n  c: 2\n  d: 3\n',
    )
    expect(edit('a: 1\nb:\n  c: 2\n  d: 3\n', 'b.c', undefined)).toBe('a: 1\nb:\n  d: 3\n')
    expect(edit('a: 1\n', 'x.y', undefined)).toBe('a: 1\n')
  })

  it('takes a block that it leaves empty, unless comments stand in it', () => {
    expect(edit('a: 1\nb:\n  c:\n    d: 2\n', 'b.c.d', undefined)).toBe('a: 1\n')
    expect(edit('b: # mine\n  c: 2\n', 'b.c', undefined)).toBe('b: {} # mine\n')
    expect(edit('b:\n  # keep\n  c: 2\n', 'b.c', undefined)).toBe('b: {}\n  # keep\n')
  })

  it('leaves an empty list where a list was', () => {
    expect(edit('l: # c\n  - x\n', 'l.0', undefined)).toBe('l: [] # c\n')
    expect(edit('l: [x]\n', 'l.0', undefined)).toBe('l: []\n')
  })

  it('removes from braces, brackets and beside a dash', () => {
    expect(edit('m: {a: 1, b: 2, c: 3}\n', 'm.b', undefined)).toBe('m: {a: 1, c: 3}\n')
    expect(edit('m: [a, b]\n', 'm.1', undefined)).toBe('m: [a]\n')
    expect(edit('l: [\n  a, # one\n  b, # two\n]\n', 'l.1', undefined)).toBe('l: [\n  a, # one\n]\n')
    expect(edit('l:\n  - a: 1\n    b: 2\n', 'l.0.a', undefined)).toBe('l:\n  - b: 2\n')
  })
})

describe('renaming a key', () => {
  it('changes the key in its place', () => {
    expect(rename('a:\n  old: 1 # c\n  z: 2\n', 'a.old', 'new')).toBe('a:\n  new: 1 # c\n  z: 2\n')
    expect(rename('a: 1\n', 'b', 'c')).toBe('a: 1\n')
  })
})

describe('a file that cannot be parsed', () => {
  it.each([
    ['a: 1\na: 2\n', /Line 2, column 1: .*keep one of the two/],
    ['a:\n\tb: 1\n', /Line 2, column 1: .*spaces, not tabs/],
    ['a: [1\nb: 2\n', /Line \d, column \d/],
    ['a: 1\n---\nb: 2\n', /Line 2, column 1: .*one document/],
    ['- a\n', /Line 1, column 1: .*keys and values/],
    ['a: *nobody\n', /Line 1, column 4/],
  ])('is refused with the place and what to do: %j', (text, message) => {
    expect(() => edit(text, 'a', 3)).toThrow(message)
  })
})

/** The first and last line that differ, the others being byte for byte the same. */
function touched(before: string, after: string): { before: string[]; after: string[] } {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head++
  let tail = 0
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  return { before: a.slice(head, a.length - tail), after: b.slice(head, b.length - tail) }
}

describe('any document', () => {
  const cases = { numRuns: 150 }

  it('holds the new value, all others unchanged, when a key is set', () => {
    fc.assert(
      fc.property(yamlDocument, settable, fc.nat(), (text, value, pick) => {
        const paths = listPaths(parseValues(text))
        const path = paths[pick % paths.length] as string[]
        const after = edit(text, formatConfigPath(path), value)
        const expected = structuredClone(parseValues(text))
        ;(getAtPath(expected, path.slice(0, -1)) as Record<string, unknown>)[path.at(-1) as string] = value
        expect(parseValues(after)).toEqual(expected)
      }),
      cases,
    )
  })

  it('changes no other line when a value on one line becomes another', () => {
    fc.assert(
      fc.property(yamlDocument, fc.constantFrom('text', 7, false, 'a # b'), fc.nat(), (text, value, pick) => {
        const isLeaf = (path: string[]) => !listPaths(getAtPath(parseValues(text), path)).length
        const paths = listPaths(parseValues(text)).filter(isLeaf)
        const path = paths[pick % paths.length] as string[]
        const after = edit(text, formatConfigPath(path), value)
        expect(findComments(after)).toEqual(findComments(text))
        const lines = touched(`${text}\n`, after.endsWith('\n') && !text.endsWith('\n') ? after : `${after}\n`)
        const wasBlockText = /[|>][+-]?( #.*)?\r?$/.test(lines.before[0] ?? '')
        expect(lines.after.length).toBeLessThanOrEqual(1)
        if (!wasBlockText) expect(lines.before.length).toBe(lines.after.length)
      }),
      cases,
    )
  })

  it('only gains lines when a new key is set, and gives them back when it is removed', () => {
    fc.assert(
      fc.property(yamlDocument, settable, fc.nat(), (text, value, pick) => {
        const isMapping = (path: string[]) => {
          const found = getAtPath(parseValues(text), path)
          return typeof found === 'object' && found !== null && !Array.isArray(found)
        }
        const parents = [[], ...listPaths(parseValues(text))].filter(isMapping)
        const path = [...(parents[pick % parents.length] as string[]), 'brand_new']
        const added = edit(text, formatConfigPath(path), value)
        expect(findComments(added)).toEqual(findComments(text))
        expect(getAtPath(parseValues(added), path)).toEqual(value)
        const removed = edit(added, formatConfigPath(path), undefined)
        expect(findComments(removed)).toEqual(findComments(text))
        if (Object.keys(getAtPath(parseValues(text), path.slice(0, -1)) as object).length > 0) {
          expect(parseValues(removed)).toEqual(parseValues(text))
          expect(removed.trimEnd()).toBe(text.trimEnd())
        }
      }),
      cases,
    )
  })

  it('loses only what was removed, and no comment on a line of its own outside of it', () => {
    fc.assert(
      fc.property(yamlDocument, fc.nat(), (text, pick) => {
        const paths = listPaths(parseValues(text))
        const path = paths[pick % paths.length] as string[]
        const after = edit(text, formatConfigPath(path), undefined)
        const lines = touched(text, after)
        const lost = findComments(text).filter((comment) => !findComments(after).includes(comment))
        for (const comment of lost) expect(lines.before.join('\n')).toContain(comment)
        expect(parseDocument(after).errors).toEqual([])
      }),
      cases,
    )
  })
})
