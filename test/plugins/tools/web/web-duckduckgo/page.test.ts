import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHits } from '../../../../../plugins/tools/web/web-duckduckgo/page.ts'
import { createPage, through } from './page.ts'

test('links lead directly or through DuckDuckGo; what leads anywhere else on it is left out', () => {
  const result = (href: string) => ({ title: 't', href, snippet: 's' })
  const page = createPage([
    result('https://direct.example/a?x=1&amp;y=2'),
    result(through('https://passed.example/ü')),
    result('//duckduckgo.com/y.js?ad_provider=x&amp;u3=https%3A%2F%2Fad.example'),
    result(through('javascript:alert(1)')),
    result('javascript:alert(1)'),
    result('http://[broken'),
  ])
  expect(parseHits(page).map(({ url }) => url)).toEqual([
    'https://direct.example/a?x=1&y=2',
    'https://passed.example/ü',
  ])
})

test('no page makes the reader fail or take long', () => {
  const pieces = fc.constantFrom(
    '<div class="result',
    '">',
    ' class="result__a"',
    '<a href="',
    '</a>',
    '&#x110000;',
    '&#65;',
    '<',
    'x',
    '"',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      for (const { url } of parseHits(parts.join(''))) expect(url).toMatch(/^https?:/)
    }),
  )
  expect(parseHits('<div class="result '.repeat(100_000))).toEqual([])
  expect(
    parseHits(`<div class="result"><a class="result__a" href="https://a.example">${'<'.repeat(1_000_000)}</a>`),
  ).toHaveLength(1)
})
