import { describe, expect, test } from 'vitest'
import { DEFAULT_SKIN } from '../../../../plugins/terminal-ui/display/skins.ts'
import { Glyphs } from '../../../../plugins/terminal-ui/tui-screen/glyphs.ts'
import { createNotification } from '../../../../plugins/terminal-ui/tui-screen/modes.ts'
import { Painter } from '../../../../plugins/terminal-ui/tui-screen/painter.ts'
import { terminalKind } from '../../../../plugins/terminal-ui/tui-screen/terminal-kind.ts'
import { textLayout } from '../../../../plugins/terminal-ui/typography/layout.ts'

const kind = (term: string, program?: string) =>
  terminalKind({ term, program, colorterm: undefined, noColor: undefined })?.notifications

describe('a notification', () => {
  test('is sent in the way that the terminal is known to understand, and not at all otherwise', () => {
    expect(kind('xterm-kitty')).toBe(99)
    expect(kind('xterm-256color', 'iTerm.app')).toBe(9)
    expect(kind('xterm-ghostty', 'ghostty')).toBe(777)
    expect(kind('xterm-256color', 'WezTerm')).toBe(777)
    expect(kind('foot')).toBe(777)
    expect(kind('xterm-256color')).toBeUndefined()
    expect(kind('tmux-256color', 'iTerm.app')).toBeUndefined()
  })

  test('cannot end its sequence or begin another request, whatever its words are', () => {
    const title = 'Done\x1b\\\x1b]0;evil\x07; yes'
    for (const way of [9, 99, 777] as const) {
      const text = createNotification(way, title, 'line\nline')
      const body = text.slice(2).replace(/(?:\x1b\\|\x07)$/, '')
      const rest = way === 99 ? body.replace('\x1b\\\x1b]99;', '') : body
      expect(rest).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
    }
    expect(createNotification(777, 'a;b', 'c')).toBe('\x1b]777;notify;a,b;c\x1b\\')
    expect(createNotification(9, '4;1', '')).toBe('\x1b]9; 4;1\x07')
    expect(createNotification(99, 'a', '')).toBe('\x1b]99;i=svc;a\x1b\\')
  })
})

describe('a span with its own colours', () => {
  const paint = (colors: 0 | 16 | 256 | 16777216) =>
    new Painter(new Glyphs(textLayout()), colors, DEFAULT_SKIN).paint(
      { lines: [[{ text: 'x', role: 'error', color: '#ff8000', background: '#000000' }]] },
      10,
      1,
    )

  test('has them in place of those of its role, as near as the terminal can', () => {
    expect(paint(16777216)).toContain('38;2;255;128;0;48;2;0;0;0m')
    expect(paint(256)).toContain('38;5;208;48;5;16m')
    expect(paint(16)).toMatch(/\[0;(1;)?\d{2};40m/)
  })

  test('has none without colours', () => {
    expect(paint(0)).not.toMatch(/[34]8;|4\d|3\d/)
  })

  test('keeps those of its role where its own are no colours', () => {
    const paintSpan = (color: object) =>
      new Painter(new Glyphs(textLayout()), 16777216, DEFAULT_SKIN).paint({ lines: [[{ text: 'x', ...color }]] }, 10, 1)
    expect(paintSpan({ color: 'red; evil' })).toBe(paintSpan({}))
  })
})
