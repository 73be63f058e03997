import fc from 'fast-check'
import { escapeIrcTag, parseIrcLine } from 'svc/sdk/kit/text'
import { expect, test } from 'vitest'
import { decodeLine, fold } from '../../../../../plugins/messaging/platforms/platform-irc/message.ts'
import {
  linesFor,
  parseAddressed,
  parseCtcp,
  withoutStyle,
} from '../../../../../plugins/messaging/platforms/platform-irc/text.ts'

test('a line is taken apart as the documents say', () => {
  expect(parseIrcLine('@id=a\\sb;+x/y;=z :n!u@h PRIVMSG #c :two  words :here')).toEqual({
    tags: new Map([
      ['id', 'a b'],
      ['+x/y', ''],
      ['', 'z'],
    ]),
    prefix: 'n!u@h',
    command: 'PRIVMSG',
    params: ['#c', 'two  words :here'],
  })
  expect(parseIrcLine('ping one two')).toMatchObject({ prefix: '', command: 'PING', params: ['one', 'two'] })
  expect(parseIrcLine(':s 001 svc :')).toMatchObject({ command: '001', params: ['svc', ''] })
  expect(parseIrcLine('   ')).toBeUndefined()
})

test('no line of a server is a problem', () => {
  const bytes = fc.uint8Array({ maxLength: 600 })
  const likely = fc.stringMatching(/^[@:;=\\ a-z!0-9\x01]{0,60}$/)
  fc.assert(
    fc.property(bytes, (some) => {
      parseIrcLine(decodeLine(some))
    }),
  )
  fc.assert(
    fc.property(likely, (line) => {
      const message = parseIrcLine(line)
      expect(message === undefined || /^([A-Z]+|\d{3})$/.test(message.command)).toBe(true)
    }),
  )
})

test('a value of a tag comes back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(parseIrcLine(`@k=${escapeIrcTag(value)} X`)?.tags.get('k')).toBe(value)
    }),
  )
})

test('lines of a text fit behind the prefix and say all of it but blanks, and no character is broken', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 1500 }), fc.boolean(), (text, isKnown) => {
      const prefix = isKnown ? 'svc!~svc@127.0.0.1' : undefined
      const lines = linesFor(text, '#lobby', prefix)
      const frame = `:${prefix ?? ''} PRIVMSG #lobby :`
      for (const line of lines) {
        expect(Buffer.byteLength(frame + line)).toBeLessThanOrEqual(510)
        expect(line.trim()).not.toBe('')
        expect(line).not.toMatch(/[\r\n\0\x01]/)
      }
      const words = (all: string) => all.replace(/[\s\0\x01]/g, '')
      expect(words(lines.join(''))).toBe(words(text))
      expect(lines.join('')).not.toContain('\ufffd')
    }),
  )
})

test('names are compared as the server compares them', () => {
  expect(fold('Nick[a]\\~')).toBe('nick{a}|^')
  expect(fold('Nick[a]\\~', 'ascii')).toBe('nick[a]\\~')
  expect(fold('Nick[a]\\~', 'rfc1459-strict')).toBe('nick{a}|~')
})

test('svc knows when it is spoken to', () => {
  expect(parseAddressed('svc: hello', ['svc'])).toEqual({ isMention: true, text: 'hello' })
  expect(parseAddressed('SVC, hello: there', ['svc'])).toEqual({ isMention: true, text: 'hello: there' })
  expect(parseAddressed('thanks svc!', ['svc'])).toEqual({ isMention: true, text: 'thanks svc!' })
  expect(parseAddressed('svc2 is another', ['svc'])).toEqual({ isMention: false, text: 'svc2 is another' })
  expect(parseAddressed('note: svcs', ['svc'])).toEqual({ isMention: false, text: 'note: svcs' })
  expect(parseAddressed('', ['svc'])).toEqual({ isMention: false, text: '' })
})

test('commands for programs and marks of style are told from words', () => {
  expect(parseCtcp('\x01ACTION waves at all\x01')).toEqual({ command: 'ACTION', argument: 'waves at all' })
  expect(parseCtcp('\x01version')).toEqual({ command: 'VERSION', argument: '' })
  expect(parseCtcp('words')).toBeUndefined()
  expect(withoutStyle('\x02a\x02\x0312,4b\x03 \x04ff0000c\x04 \x1dd\x1d 1,2')).toBe('ab c d 1,2')
})
