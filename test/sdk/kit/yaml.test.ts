import { expect, test } from 'vitest'
import { parseYaml } from '../../../sdk/kit/text/yaml.ts'

test('keys and values come as they are written', () => {
  const text = 'id: 0123\nversion: "1.10"\nphone: +49\nyes: on\nlist: [a, 1, true]\nnothing:\n'
  expect(parseYaml(text)).toEqual({
    values: { id: 123, version: '1.10', phone: 49, yes: 'on', list: ['a', 1, true], nothing: null },
  })
})

test('the place of a mistake is told by line and column', () => {
  const parsed = parseYaml('a: 1\nb:\n  c: "open\n')
  expect(parsed).toMatchObject({ message: expect.stringMatching(/^line \d, column \d+: /) })
})

test('anchors are followed', () => {
  expect(parseYaml('a: &x { n: 1 }\nb: *x\n')).toEqual({ values: { a: { n: 1 }, b: { n: 1 } } })
})

test('a file that unfolds without end is refused, not unfolded', () => {
  const levels = [...'abcdefgh'].map((name, at) => {
    const before = at === 0 ? '"lol"' : `*${'abcdefgh'[at - 1]}`
    return `${name}: &${name} [${Array(9).fill(before).join(', ')}]`
  })
  expect(parseYaml(levels.join('\n'))).toMatchObject({ message: expect.any(String), line: expect.any(Number) })
})
