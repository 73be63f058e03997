import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandWords, fillWords } from '../../../../plugins/tools/tool-speech/command-words.ts'
import { joinSpeech } from '../../../../plugins/tools/tool-speech/join.ts'
import { cutText } from '../../../../plugins/tools/tool-speech/sentences.ts'
import { mp3, wav } from '../../../support/pictures.ts'

test('a text is cut behind sentences, else behind words, else within one', () => {
  expect(cutText('One. Two is longer. Three.', 20)).toEqual(['One. Two is longer.', 'Three.'])
  expect(cutText('He said "No." Then he went home.', 16)).toEqual(['He said "No."', 'Then he went', 'home.'])
  expect(cutText('no sentence here at all', 10)).toEqual(['no', 'sentence', 'here at', 'all'])
  expect(cutText('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
  expect(cutText('これは文です。次の文です。', 8)).toEqual(['これは文です。', '次の文です。'])
  expect(cutText('  short  ', 100)).toEqual(['short'])
})

test('pieces are never too long, never blank, and lose nothing but blanks', () => {
  const words = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 40 }).map((list) => list.join(' '))
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 50 }), (text, limit) => {
      const pieces = cutText(text, limit)
      const bare = (all: string) => all.replace(/\s/g, '')
      expect(bare(pieces.join(''))).toBe(bare(text))
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(limit)
        expect(piece.trim()).not.toBe('')
        // No character is cut in two.
        expect(Buffer.from(piece).toString()).toBe(piece)
      }
    }),
  )
})

test('a megabyte of text is cut in a moment', () => {
  expect(cutText('It rains. '.repeat(100_000), 4096).length).toBeGreaterThan(200)
})

test('pieces of MP3 become one row of frames with one tag', () => {
  const joined = joinSpeech([mp3(1), mp3(2), mp3(3, false)], 'mp3')
  expect(Buffer.from(joined).equals(Buffer.concat([mp3(1), mp3(2, false), mp3(3, false)]))).toBe(true)
})

test('pieces of WAV get one header, also when a length was not known while they were sent', () => {
  const streamed = wav([3, 4])
  streamed.writeUInt32LE(0xffffffff, 4)
  streamed.writeUInt32LE(0xffffffff, 40)
  expect(Buffer.from(joinSpeech([wav([1, 2]), streamed], 'wav')).equals(wav([1, 2, 3, 4]))).toBe(true)
  expect(() => joinSpeech([wav([1], 8000), wav([2], 16_000)], 'wav')).toThrow(/differ in their sound format/)
  expect(() => joinSpeech([wav([1]), Buffer.from('RIFF....WAVEdata')], 'wav')).toThrow(/without samples/)
  expect(() => joinSpeech([mp3(), mp3()], 'opus')).toThrow(/cannot be joined/)
})

test('a command is read as words, and nothing in it is run by a shell', () => {
  expect(commandWords(`say -v 'Anna Maria' --out="{output}" a"b c"d`)).toEqual([
    ...['say', '-v', 'Anna Maria', '--out={output}', 'ab cd'],
  ])
  expect(commandWords('  echo $(id) ; rm -rf ~ ')).toEqual(['echo', '$(id)', ';', 'rm', '-rf', '~'])
  expect(() => commandWords('say "never closed')).toThrow(/A quote is not closed in the command: "never closed/)
  expect(fillWords(['{input}', 'x={output}', '{other}'], { input: '{output}', output: 'o' })).toEqual([
    ...['{output}', 'x=o', '{other}'],
  ])
})
