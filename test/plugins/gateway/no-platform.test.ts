/** A gateway that only serves programs. */
import { Gateway } from 'svc/sdk'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

test('a gateway on which no chat platform is set up is not degraded', async () => {
  await using kernel = await testKernel({
    plugins: ['gateway', 'platform-telegram'],
    with: [fakeProvider(['x']).plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  const gateway = kernel.use(Gateway)
  await gateway.start()
  const { state, platforms } = gateway.status()
  expect([state, platforms.every((each) => each.state === 'disabled')]).toEqual(['running', true])
  await gateway.stop()
})
