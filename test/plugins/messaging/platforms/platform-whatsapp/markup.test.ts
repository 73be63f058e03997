import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markup } from '../../../../../plugins/messaging/platforms/platform-whatsapp/markup.ts'
import { visibleText } from '../../../../../plugins/messaging/platforms/platform-whatsapp/stand-in/rules.ts'

const shown = (raw: string) => visibleText(raw).replaceAll('\u200b', '')

test('a lone backtick makes no code on WhatsApp of the words behind it', () => {
  expect(markup.escape?.('the ` key')).toBe('the ˋ key')
  expect(shown(`${markup.escape?.('a ` b')} \`*c*\``)).toBe('a ˋ b *c*')
})

test('whatever backticks code has, a block on WhatsApp ends behind it', () => {
  const codes = fc.string({ unit: fc.constantFrom('`', 'a', '\n', '*'), minLength: 1 })
  fc.assert(
    fc.property(codes, (code) => {
      const block = markup.fence?.(markup.escapeCode?.(code) ?? '', '') ?? ''
      expect(shown(`${block} behind`)).toBe(`${code} behind`)
    }),
  )
})
