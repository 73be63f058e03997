import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Capture } from '../../../../../plugins/tools/shell/tool-terminal/capture.ts'
import { renderOutput } from '../../../../../plugins/tools/shell/tool-terminal/render-output.ts'

function render(bytes: Uint8Array | string, limit = 50_000): string {
  const capture = new Capture(limit)
  capture.add(Buffer.from(bytes))
  return renderOutput(capture.finish())
}

test('ordinary text of any language stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const ordinary = text.replace(/\p{Cc}/gu, '')
      expect(render(`a line\n${ordinary}\n\tthe next\n`)).toBe(`a line\n${ordinary}\n\tthe next\n`)
    }),
  )
})

test('colours, titles and cursor movements are taken out', () => {
  expect(render('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007plain\u001b[2K')).toBe('red plain')
})

test('a progress bar is shown as a screen shows it in the end, and CRLF is one line end', () => {
  expect(render('10 %\r50 %\r100 %\ndone\r\n')).toBe('100 %\ndone\n')
})

test('other control characters can be seen and do nothing', () => {
  expect(render('a bell \u0007 and a zero \0 in a text that is long enough')).toContain('bell \\x07 and a zero \\x00')
})

test('a few bytes that are not UTF-8 do not make the rest unreadable', () => {
  expect(render(Buffer.concat([Buffer.from('caf'), Buffer.from([0xe9]), Buffer.from(' and tea, as always')]))).toBe(
    'caf\uFFFD and tea, as always',
  )
})

test('binary output is described and not shown', () => {
  const text = render(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x0d, 1, 2, 3, 0xff]))
  expect(text).toMatch(/^\[binary output, 12 bytes, beginning with 89 50 4e 47 .*\(\.PNG/)
})

test('what was left out is counted, and no character is torn where it was cut', () => {
  const text = render('ä'.repeat(100), 51)
  expect(text).toBe(`${'ä'.repeat(10)}\n[... 149 bytes left out here ...]\n${'ä'.repeat(15)}`)
})
