/** What a process in the background has to say, once. */
import { Sessions } from 'svc/sdk'
import { ProcessNotified } from 'svc/sdk/hooks'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { stage } from './stage.ts'

async function story(pauseMs: number) {
  const clock = virtualClock()
  const { kernel, fake, gateway, model, said } = await stage(['hello', 'the build is done'], { clock })
  await fake.say('ada', 'hi')
  await gateway.idle()
  await clock.advance(pauseMs)
  const [session] = kernel.use(Sessions).list()
  await kernel.call(ProcessNotified, {
    sessionId: session?.id ?? '',
    text: 'process p1 ended',
    processId: 'p1',
    reason: 'exit',
  } as never)
  await gateway.idle()
  return { asked: model.requests.length, said: said() }
}

test('a notice reaches an open conversation once', async () => {
  expect(await story(0)).toEqual({ asked: 2, said: ['hello', 'the build is done'] })
})

test('a notice reaches a chat that was closed meanwhile, once', async () => {
  expect(await story(3_600_000)).toEqual({ asked: 2, said: ['hello', 'the build is done'] })
})
