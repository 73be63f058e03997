/** What the model writes reads the same on Zulip, whose Markdown has no backslash. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { markup } from '../../../../../plugins/messaging/platforms/platform-zulip/markup.ts'
import { wordsOfZulip } from '../../../../../plugins/messaging/platforms/platform-zulip/stand-in/words.ts'

const plain = (text: string) => markup.escape?.(text) ?? text

describe('markup for Zulip', () => {
  test('whatever is written in a message, people see the same words', () => {
    const written = fc.string({ unit: fc.constantFrom(...'ab *_~`|<>[]()#-+\\.@!1^$&;:/=\n'), maxLength: 40 })
    // Four blanks would begin a block of code: no line of a message begins so.
    const words = written.map((text) => text.replace(/ {4,}/g, '   '))
    fc.assert(fc.property(words, (text) => void expect(wordsOfZulip(plain(text))).toBe(text)))
  })

  test.each([
    '@**all**',
    '@_**ada|7**',
    '@*developers*',
    '#**lab>Café**',
    '<time:2026-01-01T00:00Z>',
    '$$x$$',
    ':smile:',
    '1:100:3',
  ])('%s means nothing, and reads the same', (text) => {
    expect(plain(text)).not.toContain(text)
    expect(wordsOfZulip(plain(text))).toBe(text)
  })

  test.each(['/me waves', '/poll lunch?', '/todo\nmilk'])('"%s" is no command of the server', (text) => {
    expect(plain(text)).not.toMatch(/^\//)
    expect(wordsOfZulip(plain(text))).toBe(text)
  })

  test('what needs no reference stays readable in its source', () => {
    const text = 'It costs $5 & takes 10:30 to 11, see <tag>, a_b, 1.5 and /help (really) - yes!'
    expect(plain(text)).toBe(text)
  })

  test('code with marks is seen as it is; a block with the name of another block of Zulip is code', () => {
    const [open, close] = markup.code ?? ['', '']
    for (const code of ['a`b', '``', '`', 'x**y**', 'a\\b', '@**all**', '&#42;', ':smile:']) {
      const safe = markup.escapeCode?.(code) ?? code
      expect(wordsOfZulip(`${open}${safe}${close}`)).toBe(code)
      expect(wordsOfZulip(markup.fence?.(safe, 'sh') ?? '')).toBe(code)
    }
    expect(markup.fence?.('x', 'sh')).toBe('```sh\nx\n```')
    for (const name of ['quote', 'Spoiler', 'math']) expect(markup.fence?.('x', name)).toBe('```\nx\n```')
  })

  test('the text of a link is shown as it is: without marks, and beside its address when it has signs', () => {
    const link = (text: string) => markup.link?.(text, 'https://a.example/x')
    expect(link(plain('see 1. this'))).toBe('[see 1. this](https://a.example/x)')
    expect(link('**bold** and `` code ``')).toBe('[bold and code](https://a.example/x)')
    expect(link(plain('a & b: c'))).toBe('[a & b: c](https://a.example/x)')
    expect(link(plain('@**all**'))).toBe(`${plain('@**all**')} (https://a.example/x)`)
    expect(markup.link?.('here', markup.escapeAddress?.('https://a.example/(x)') ?? '')).toBe(
      '[here](https://a.example/%28x%29)',
    )
    expect(plain('see https://a.example/b_c*d')).toBe('see https://a.example/b_c*d')
  })
})
