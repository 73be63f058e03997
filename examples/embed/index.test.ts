import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TurnEvent } from 'svc/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { ask } from './ask.ts'

test('one turn lists the files of a folder and ends in good order', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'embed-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  writeFileSync(join(cwd, 'letter.txt'), 'Dear Ada')
  const events: TurnEvent[] = []
  for await (const event of ask('list files', { cwd, home: join(cwd, '.home') })) events.push(event)
  expect(events[0]).toMatchObject({ type: 'turn.start', seq: 1 })
  expect(events.find(({ type }) => type === 'tool.complete')).toMatchObject({ ok: true })
  expect(events.find((event) => event.type === 'message.complete')?.text).toContain('letter.txt')
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
})
