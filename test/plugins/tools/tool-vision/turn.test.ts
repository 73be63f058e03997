import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, Sessions, type TurnEvent } from 'svc/sdk'
import type { ModelRequest } from 'svc/sdk/provider'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { png } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const input = { image_url: 'cat.png', question: 'What is it?' }
const image = { mediaType: 'image/png', data: png(64, 64).toString('base64') }

/** A turn of a real agent whose model calls the tool once; `eye-1` is the model of the slot. */
async function turn(sees: boolean) {
  const fake = fakeProvider((request: ModelRequest) => {
    if (request.model === 'eye-1') return 'A cat on a mat.'
    const isAnswered = request.messages.some(({ role }) => role === 'tool')
    return isAnswered ? 'Done.' : { calls: [{ id: 'c1', name: 'vision_analyze', input }] }
  })
  const kernel = await testKernel({
    plugins: ['agent', 'tool-vision', 'auxiliary'],
    with: [fake.plugin],
    config: {
      model: { provider: 'fake', default: 'fake-1', known: { 'fake/fake-1': { images: sees } } },
      auxiliary: { vision: { provider: 'fake', model: 'eye-1' } },
    },
  })
  onTestFinished(() => kernel.stop())
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'cat.png'), png(64, 64))
  const session = kernel.use(Sessions).create({ surface: 'test', cwd })
  const events: TurnEvent[] = []
  const request = { sessionId: session.id, text: 'Look at cat.png', surface: 'test' }
  for await (const event of kernel.use(Agent).run(request)) events.push(event)
  const complete = events.find((event) => event.type === 'tool.complete')
  const answer = fake.requests.at(-1)?.messages.find(({ role }) => role === 'tool')
  return { fake, complete, answer }
}

test('in a turn, a model that sees has the picture in its next request', async () => {
  const { fake, complete, answer } = await turn(true)
  expect(complete).toMatchObject({ ok: true, images: [image] })
  expect(answer).toMatchObject({ images: [image] })
  expect(fake.requests.map(({ model }) => model)).toEqual(['fake-1', 'fake-1'])
})

test('in a turn, a blind model reads what another one saw', async () => {
  const { fake, complete, answer } = await turn(false)
  expect(complete).toMatchObject({ ok: true, data: { model: 'eye-1' } })
  expect(answer).toMatchObject({ text: expect.stringContaining('A cat on a mat.') })
  expect(answer).not.toHaveProperty('images')
  expect(fake.requests[1]).toMatchObject({ model: 'eye-1', messages: [{ images: [image] }] })
})
