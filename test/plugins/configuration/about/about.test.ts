import { Control } from 'svc/sdk/host'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { read } from '../../../support/repository.ts'

const packageJson = JSON.parse(read('package.json')) as { readonly version: string }

test('/plugins names what runs and what failed, /profile the home', async () => {
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
  const gateway = fakeTalk(kernel, { surface: 'telegram', commands: 'gateway' })
  expect(await gateway.type('/profile')).not.toContain(kernel.home)
})

test('/version is that of the package, /reload loads a plugin again, /platforms asks the gateway', async () => {
  const fake = fakeProvider(['x'])
  let loads = 0
  const counted = { name: 'counted', setup: () => void loads++ }
  await using kernel = await testKernel({
    plugins: ['conversation', 'about', 'control'],
    with: [fake.plugin, counted],
  })
  const talk = fakeTalk(kernel)
  expect(await talk.type('/version')).toBe(`svc ${packageJson.version}, Node ${process.version}`)
  expect(await talk.type('/reload')).toContain('Name a plugin')
  expect(await talk.type('/reload counted')).toBe('counted was reloaded.')
  expect(loads).toBe(2)
  expect(await talk.type('/reload nothing')).toMatch(/^nothing was not reloaded: .*nothing/)
  const chat = fakeTalk(kernel, { surface: 'telegram', commands: 'gateway' })
  expect(await chat.type('/reload counted')).toMatch(/^Only an admin/)
  expect(loads).toBe(2)
  expect(await talk.type('/platforms')).toMatch(/is not running.*Platforms: .*telegram/)
  const platforms = [{ name: 'telegram', state: 'fatal', reason: 'The token is wrong' }]
  const status = { read: true, run: () => ({ platforms }) } as const
  const off = await kernel.use(Control).serve('gateway', { 'gateway.status': status })
  expect(await talk.type('/platforms')).toBe('- **telegram**: fatal. The token is wrong')
  await off()
})
