import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { SafeFetch } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { Blocklist } from '../../../../plugins/safety/address-guard/blocklist.ts'

const list = {
  enabled: true,
  domains: ['Bad.example', '*.worse.example', 'https://worst.example/page'],
  shared_files: [],
}
const listing = (settings: object, home = '/nowhere', clock = virtualClock()) =>
  new Blocklist({ ...list, ...settings }, { clock, home })

test('a domain is refused with everything below it, and nothing beside it', async () => {
  const blocklist = listing({})
  for (const host of ['bad.example', 'www.bad.example', 'a.b.worse.example', 'worse.example', 'worst.example'])
    expect(await blocklist.problem(host)).toContain('website_blocklist')
  for (const host of ['notbad.example', 'example', 'bad.example.com'])
    expect(await blocklist.problem(host)).toBeUndefined()
})

test('a list that is switched off refuses nothing', async () => {
  expect(await listing({ enabled: false }).problem('bad.example')).toBeUndefined()
})

test('shared files are read again after 30 seconds; one that cannot be read refuses everything', async () => {
  const kernel = await testKernel()
  const clock = virtualClock()
  mkdirSync(join(kernel.home, 'lists'))
  const file = join(kernel.home, 'lists', 'shared.txt')
  writeFileSync(file, '# people we avoid\none.example   # the first\n\n')
  const blocklist = listing({ shared_files: ['lists/shared.txt'] }, kernel.home, clock)
  expect(await blocklist.problem('www.one.example')).toContain('one.example is on the list')
  writeFileSync(file, 'two.example\n')
  expect(await blocklist.problem('two.example')).toBeUndefined()
  await clock.advance(30_000)
  expect(await blocklist.problem('two.example')).toContain('two.example')
  expect(await blocklist.problem('one.example')).toBeUndefined()
  const missing = listing({ shared_files: ['lists/missing.txt'] }, kernel.home, clock)
  expect(await missing.problem('harmless.example')).toContain('cannot be read')
  await kernel.stop()
})

test('the list of the configuration is asked for every address', async () => {
  const security = { website_blocklist: { enabled: true, domains: ['bad.example'] } }
  const kernel = await testKernel({ plugins: ['address-guard'], config: { security } })
  await expect(kernel.use(SafeFetch).check('https://bad.example/')).rejects.toThrow('on the list of refused websites')
  await kernel.stop()
})
