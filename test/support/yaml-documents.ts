/** Hand-written looking YAML for property tests: every scalar style, flow and block, comments and blank lines anywhere. */
import fc from 'fast-check'

/** Lines of a block, relative to its own indentation. */
type Lines = readonly string[]

const inline = fc.constantFrom(
  '1',
  '1.10',
  'true',
  'plain words',
  "'single ''quoted'''",
  '"double \\"quoted\\" # no comment"',
  '${HOME_TOKEN}',
  'null',
  '~',
  '""',
  'http://host:80/v1',
  '[a, "b", 3]',
  '[]',
  '{}',
  '{a: 1, b: [x, y]}',
  '{ "j": "son", "k": null }',
  '0123',
)
const key = fc.constantFrom('mode', 'timeout', 'a.b', 'x y', '12', 'list', 'deep', '"quoted"', 'n0')

/** Comments carry numbers, so that a lost one is noticed. */
let counter = 0
const comment = fc.constant('').map(() => `# c${++counter};`)
const tail = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: comment.map((text) => ` ${text}`) },
)
const between = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Lines>([]) },
  { weight: 1, arbitrary: fc.constant<Lines>(['']) },
  { weight: 1, arbitrary: comment.map((text): Lines => [text]) },
)

const deeper = (lines: Lines, width: number): Lines =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(width) + line))

function entry(depth: number, indent: number): fc.Arbitrary<Lines> {
  const leaf = fc.tuple(inline, tail).map(([value, end]): Lines => [` ${value}${end}`])
  const text = fc
    .tuple(fc.constantFrom('|', '|-', '>', '|+'), tail)
    .map(([header, end]): Lines => [` ${header}${end}`, '  first line', '', '  second: # not a comment'])
  const flow = fc
    .tuple(tail, comment)
    .map(([end, inside]): Lines => [' [', '  one,', `  two, ${inside}`, `  three`, ` ]${end}`])
  const empty = tail.map((end): Lines => [end])
  if (depth === 0) return fc.oneof({ weight: 6, arbitrary: leaf }, text, flow, empty)
  const map = fc.tuple(tail, mapping(depth - 1, indent)).map(([end, lines]): Lines => [end, ...deeper(lines, indent)])
  const list = fc
    .tuple(tail, sequence(depth - 1, indent), fc.constantFrom(0, indent))
    .map(([end, lines, width]): Lines => [end, ...deeper(lines, width)])
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 3, arbitrary: map },
    { weight: 2, arbitrary: list },
    text,
    flow,
  )
}

function mapping(depth: number, indent: number): fc.Arbitrary<Lines> {
  const one = fc.tuple(between, key, entry(depth, indent))
  return fc
    .uniqueArray(one, { minLength: 1, maxLength: 4, selector: ([, name]) => name })
    .map((entries) =>
      entries.flatMap(([before, name, [first = '', ...rest]]) => [...before, `${name}:${first}`, ...rest]),
    )
}

function sequence(depth: number, indent: number): fc.Arbitrary<Lines> {
  const scalar = fc.tuple(inline, tail).map(([value, end]): Lines => [`${value}${end}`])
  const item = depth === 0 ? scalar : fc.oneof(scalar, mapping(depth - 1, indent))
  return fc
    .array(fc.tuple(between, item), { minLength: 1, maxLength: 3 })
    .map((items) => items.flatMap(([before, [first = '', ...rest]]) => [...before, `- ${first}`, ...deeper(rest, 2)]))
}

/** Whole documents with both line endings, with and without markers and a last line ending. */
export const yamlDocument: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(2, 4).chain((indent) => mapping(2, indent)),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '# head\n', '---\n', '\uFEFF'),
    fc.constantFrom('', '\n# the end\n', '\n...\n'),
    fc.boolean(),
  )
  .map(([lines, eol, head, end, last]) => {
    const text = `${head}${lines.join('\n')}${last ? '\n' : ''}${end}`
    return eol === '\n' ? text : text.replaceAll('\n', '\r\n')
  })

/** Values that are set. */
export const settable: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    'plain',
    'yes',
    '# hash',
    'a: b',
    "it's",
    'say "so"',
    '',
    ' lead',
    'two\nlines\n',
    '${VAR}',
    '- x',
  ),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom<unknown>([], {}, ['a', 'b, c'], { x: 1, y: ['z', { w: 'v' }] }, [{ a: 1 }, 'b'], null),
)

/** Every path of a value, lists by index. */
export function listPaths(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [[...path, name], ...listPaths(item, [...path, name])])
}

/** The numbered comments of a text. */
export function findComments(text: string): string[] {
  return text.match(/# c\d+;/g) ?? []
}
