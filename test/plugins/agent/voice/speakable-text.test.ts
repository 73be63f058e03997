import { expect, test } from 'vitest'
import { toSpeakable } from '../../../../plugins/agent/voice/speakable-text.ts'

test.for<readonly [string, string, string]>([
  ['marks of emphasis', 'This is **very** *good*, ~~bad~~ and __sure__.', 'This is very good, bad and sure.'],
  ['names with underscores and products', 'Set max_file_size to 2 * 3 * 4.', 'Set max_file_size to 2 * 3 * 4.'],
  ['headings and lists, each a sentence', '# Plan\n\n- buy bread\n- [x] eat it\n', 'Plan. buy bread. eat it.'],
  ['a quotation', '> He said so.', 'He said so.'],
  ['code blocks', 'Run this:\n\n```sh\nrm -rf /\n```\n\nThen rest.', 'Run this: Then rest.'],
  ['a block that never ends', 'Look:\n~~~\nlet a = 1', 'Look:'],
  ['code in a line', 'Call `run()` now.', 'Call run() now.'],
  ['links and pictures', '![a bee](b.png) See [the guide](https://a.example/x) here.', 'a bee See the guide here.'],
  ['bare addresses', 'It is at https://a.example/b?c=d, and <https://e.example>.', 'It is at , and .'],
  ['a table', '| City | Sky |\n|---|---|\n| Rome | blue |', 'City, Sky. Rome, blue.'],
  ['HTML', 'A<br>b <!-- c --><b>d</b>', 'Ab d'],
  ['nothing but code', '```\nlet a = 1\n```', ''],
  ['nothing but marks', '---\n\n***', ''],
])('of %s the words are spoken', ([, markdown, spoken]) => {
  expect(toSpeakable(markdown, 1000)).toBe(spoken)
})

test('a long answer is spoken up to the end of a sentence', () => {
  const text = 'The first sentence is here. The second one is longer than that. The third.'
  expect(toSpeakable(text, 65)).toBe('The first sentence is here. The second one is longer than that.')
  expect(toSpeakable(text, 40)).toBe('The first sentence is here.')
  expect(toSpeakable(text, 12)).toBe('The first')
  expect(toSpeakable('蜜蜂在飞。花在开。', 6)).toBe('蜜蜂在飞。')
})
