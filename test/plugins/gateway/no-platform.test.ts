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
  expect(gateway.status()).toMatchObject({ state: 'running', platforms: [{ state: 'disabled' }] })
  await gateway.stop()
})
