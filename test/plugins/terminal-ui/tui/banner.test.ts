import type { Message } from 'svc/sdk'
import { expect, it } from 'vitest'
import { goodbye } from '../../../../plugins/terminal-ui/tui/banner.ts'
import { layout, look, renderText, t } from './look.ts'

it('the last words name the session only when something was said', () => {
  const messages: Message[] = []
  const session = { id: 's1', messages: () => messages }
  const given = { ms: 65_000, words: 'Bye.', t }
  expect(goodbye(session, given, layout)).toBe('Bye.\n')
  messages.push(
    { role: 'user', text: 'go' },
    { role: 'assistant', text: 'ok' },
    { role: 'tool', callId: 'c', text: '' },
  )
  expect(goodbye(session, given, layout)).toBe(
    `Bye.\ns1 · 1m 05s · 3 messages (1 of yours, 1 of tools)\nContinue with: svc chat --resume s1\n`,
  )
})

it('the banner is a line where it is narrow or wanted compact, and a panel elsewhere', () => {
  const banner = (columns: number, compact = false) => renderText({ lines: look({ compact }).banner(columns) })
  expect(banner(40)).not.toContain('\n')
  expect(banner(200, true)).toBe('svc · test-1 · /home/me/project · /help shows the commands')
  for (const width of [60, 80, 200]) {
    const lines = look().banner(width)
    expect(new Set(lines.map((line) => layout.lineWidth(line)))).toEqual(new Set([Math.min(width, 100)]))
  }
})
