import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extractTitle, measure, plainText } from '../../../../../plugins/tools/web/tool-web/html.ts'

test('plain text has one line a block, without title, scripts, comments and tags', () => {
  const html =
    '<title>T</title><style>p{}</style><h1>Head</h1><p>One <b>bold</b>\n word<br>two<!-- <p>no --><script>if (a<b) x("</p>")</script><p title="a > b">three &lt; 4 &#233; &unknown; <5'
  expect(plainText(html)).toBe('Head\n\nOne bold word\ntwo\n\nthree < 4 é &unknown; <5')
})

test('spaces between a million tags are one space', () => {
  expect(plainText(`a${'<b> '.repeat(1_000_000)}b`)).toBe('a b')
})

test('the title is one line', () => {
  expect(extractTitle('<head><TITLE lang="en">\n Cats &amp; dogs\n</TITLE>')).toBe('Cats & dogs')
  expect(extractTitle('<title>never closed')).toBe('')
  expect(extractTitle('no title')).toBe('')
})

test('an ordinary page is bearable, and loses what is no text', () => {
  const page = '<p>word <a href="/x">link</a></p>'.repeat(500)
  const { lean, isBearable } = measure(`<svg><path d="M0"/></svg>${page}<script>x</script><!-- y -->`)
  expect([lean, isBearable]).toEqual([page, true])
})

test.for<readonly [string, string]>([
  ['long', 'word '.repeat(500_000)],
  ['wide', '<br>'.repeat(31_000)],
  ['deep', '<div>'.repeat(201)],
  ['crowded', `<p ${Array.from({ length: 1000 }, (_, at) => `a${at}=1`).join(' ')}>`],
  ['full of open formats', `${'<p><b>'.repeat(100)}${'<p>'.repeat(1000)}`],
])('a page that is %s gets no tree', ([, html]) => {
  expect(measure(html).isBearable).toBe(false)
})

test('paragraphs and rows that no one closes are not deep', () => {
  expect(measure(`<table>${'<tr><td>a<td>b'.repeat(5000)}</table>${'<p>x<li>y'.repeat(2000)}`).isBearable).toBe(true)
})

test('any soup of tags is read to its end, in text that it holds', () => {
  const pieces = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '=',
    '/',
    '<a ',
    '</a>',
    '<!--',
    '-->',
    '<script>',
    '</script>',
    'x',
    ' ',
    '<?',
    '&#0;',
    '&#x1F600;',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 80 }), (parts) => {
      const html = parts.join('')
      expect(measure(html).lean.length).toBeLessThanOrEqual(html.length)
      expect(plainText(html)).toBe(plainText(html).trim())
      expect(extractTitle(`<title>${html}</title>`)).not.toContain('\n')
    }),
  )
})
