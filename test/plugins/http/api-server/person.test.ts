/** What a tool of a run asks is an event of the run, and is answered by a request. */
import { expect, test, vi } from 'vitest'
import { askingTool, callsAskPerson } from '../../../support/asking-tool.ts'
import { openApi } from './desk.ts'

test('a client of a run sees the question of a tool and answers it', async () => {
  const script = [callsAskPerson, 'Done.']
  const tool = askingTool((person) => person.choose({ title: 'Which branch?', items: ['main', 'next'] }))
  const desk = await openApi(() => script.shift() ?? '', { with: [tool] })
  const { body } = await desk.read('/v1/runs', { body: { input: 'go' } })
  const answer = (text: string) => desk.read(`/v1/runs/${body.run_id}/answer`, { body: { answer: text } })
  await vi.waitFor(async () => expect((await answer('neither')).status).toBe(400), { timeout: 10_000 })
  expect((await answer('2')).body).toMatchObject({ object: 'svc.run.answer_response', run_id: body.run_id })
  await vi.waitFor(async () => expect((await desk.read(`/v1/runs/${body.run_id}`)).body.output).toBe('Done.'))
  expect((await answer('2')).status).toBe(409)
})
