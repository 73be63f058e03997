import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

test('/plugins names what runs and what failed, /profile the home, /debug what a report needs', async () => {
  const fake = fakeProvider(['x'])
  const broken = {
    name: 'broken-one',
    setup: () => {
      throw new Error('it fell over')
    },
  }
  await using kernel = await testKernel({ plugins: ['conversation', 'about'], with: [fake.plugin, broken] })
  const talk = fakeTalk(kernel)
  const plugins = await talk.type('/plugins')
  expect(plugins).toMatch(/plugins run: .*conversation/)
  expect(plugins).toMatch(/\*\*broken-one\*\*: .*it fell over/)
  expect(await talk.type('/profile')).toContain(`Profile: default, ${kernel.home}`)
  const debug = await talk.type('/debug')
  expect(debug).toContain(`Node ${process.version}`)
  expect(debug).toMatch(/broken-one, setup: .*it fell over/)
  const gateway = fakeTalk(kernel, { surface: 'telegram', commands: 'gateway' })
  expect(await gateway.type('/profile')).not.toContain(kernel.home)
})
