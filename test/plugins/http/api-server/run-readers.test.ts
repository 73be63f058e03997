/** Readers of a run that lasts. */
import { expect, onTestFinished, test } from 'vitest'
import { openApi, parseEvents } from './desk.ts'
import { notes } from './notes.ts'

test('a reader of a long run leaves nothing at its connection for every time it waits', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  let readers = () => {}
  const gate = new Promise<void>((resolve) => {
    readers = resolve
  })
  const round = (at: number) => ({ calls: [{ name: 'take_note', input: { note: `${at}` } }] })
  const { ask, read } = await openApi((_request, call) => (call < 25 ? { ...round(call), gate } : 'Done.'), {
    with: [notes],
  })
  const { body } = await read('/v1/runs', { body: { input: 'go' } })
  const reading = await ask(`/v1/runs/${body.run_id}/events`)
  readers()
  const events = parseEvents(await reading.text())
  expect(events.at(-1)?.data.event).toBe('run.completed')
  expect(events.length).toBeGreaterThan(50)
  await new Promise((resolve) => setImmediate(resolve))
  expect(warnings).toEqual([])
})
