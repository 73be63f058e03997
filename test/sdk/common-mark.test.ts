import fc from 'fast-check'
import { marked } from 'marked'
import { wordsOfMarkdown } from 'svc/sdk/kit/stand-in'
import { commonMarkMarkup, withBareUrls } from 'svc/sdk/platform'
import { expect, test } from 'vitest'

const text = fc.string({ unit: fc.constantFrom('&lt;', ...'ab *_~`|<>[]()#-+=&;\\.@!1\n'), maxLength: 40 })
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

test('whatever a text holds, people see the same words once it is escaped for CommonMark', () => {
  fc.assert(fc.property(text, (words) => void expect(wordsOfMarkdown(commonMarkMarkup.escape(words))).toBe(words)))
})

test('a reader that others wrote sees the same words in what is escaped for CommonMark', () => {
  const seen = (html: string) =>
    html
      .replace(/<[^>]*>/g, '')
      .replace(/&(lt|gt|quot|#39|amp);/g, (_all, name: string) => ENTITIES[name] ?? '')
      .replace(/\s/g, '')
  fc.assert(
    fc.property(text, (words) => {
      // Four blanks before a line make code of it, whatever it says.
      const flat = words.replace(/\s*\n\s*/g, '\n').trim()
      const html = marked.parse(commonMarkMarkup.escape(flat), { async: false, gfm: false })
      expect(seen(html)).toBe(flat.replace(/\s/g, ''))
    }),
  )
})

test('no line of an escaped text begins a list, a heading or a quotation of CommonMark', () => {
  fc.assert(
    fc.property(text, (words) => {
      expect(commonMarkMarkup.escape(words)).not.toMatch(/^\s*(?:[-+*>#]|\d+[.)])/m)
    }),
  )
  expect(commonMarkMarkup.escape('2019. A year\n- no item')).toBe('2019\\. A year\n\\- no item')
})

test('code of CommonMark is seen as it is, with as many backticks as it likes', () => {
  const code = fc.string({ unit: fc.constantFrom('a', '`', '``', '```', '*', ' '), minLength: 1, maxLength: 12 })
  const [open, close] = commonMarkMarkup.code
  fc.assert(
    fc.property(
      code.filter((each) => each.trim() === each),
      (each) => {
        const safe = commonMarkMarkup.escapeCode(each)
        expect(wordsOfMarkdown(`${open}${safe}${close}`)).toBe(each)
        expect(wordsOfMarkdown(commonMarkMarkup.fence(safe, 'sh'))).toBe(each)
      },
    ),
  )
})

test('a block of code within code is copied out of CommonMark as it was', () => {
  const document = 'Run this:\n```sh\nls\n```'
  expect(commonMarkMarkup.fence(commonMarkMarkup.escapeCode(document), 'md')).toBe(`\`\`\`\`md\n${document}\n\`\`\`\``)
})

test('an address keeps its link of CommonMark together, whatever stands in it', () => {
  const address = commonMarkMarkup.escapeAddress('https://a.example/a b\u2003(c)<d>')
  expect(commonMarkMarkup.link('here', address)).toBe('[here](https://a.example/a%20b%E2%80%83%28c%29%3Cd%3E)')
  expect(decodeURIComponent(address)).toBe('https://a.example/a b\u2003(c)<d>')
})

test('where addresses are links by themselves they stay whole, and are not said twice', () => {
  const { escape: plain = String, link } = withBareUrls(commonMarkMarkup)
  expect(plain('*see* https://a.example/b_c*d now')).toBe('\\*see\\* https://a.example/b_c*d now')
  expect(link('https://a.example/b_c', 'https://a.example/b_c')).toBe('https://a.example/b_c')
  expect(link('here', 'https://a.example/')).toBe('[here](https://a.example/)')
})
