import type { TurnEvent } from 'svc/sdk'
import { expect, test } from 'vitest'
import { progressLine } from '../../../../plugins/terminal-ui/chat/progress.ts'

const line = (event: object) =>
  progressLine(
    { sessionId: 's', turnId: 't', seq: 1, ...event } as TurnEvent,
    (text) => text,
    () => undefined,
  )

test('a file of a result is a line with its path, and nothing in it steers the terminal', () => {
  const done = { type: 'tool.complete', callId: 'c', name: 'draw', ok: true, text: 'drawn' }
  expect(line(done)).toBeUndefined()
  const files = [{ path: '/home/ada/a b.png' }, { path: '/tmp/\u001b]0;x\u0007.txt' }]
  expect(line({ ...done, files })?.split('\n')).toEqual([
    '📎 /home/ada/a b.png',
    expect.stringMatching(/^📎 \/tmp\/[\x20-\x7e]*\.txt$/),
  ])
})
