import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PlatformDryRuns, Platforms } from 'svc/sdk/platform'
import { conformance, platformContract, testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { describe, expect, test } from 'vitest'
import { openStandIn } from './stand-in.ts'

const dir = import.meta.dirname

/** The platform in a real kernel, and its service on loopback. */
async function setup() {
  const fake = await openStandIn()
  const config = { platforms: { courier: fake.config } }
  const kernel = await testKernel({ dirs: [dir], plugins: ['webhook-plugin'], config, env: fake.env })
  const platform = kernel.all(Platforms).get('courier')
  if (!platform) throw new Error(JSON.stringify(kernel.problems()))
  const url = () => kernel.use(Http).apps()[0]?.url ?? ''
  const join = () => {
    fake.callback?.(url())
    const { chatId, say } = fake.member()
    const heard = () => fake.deliveries().flatMap((each) => (each.chatId === chatId ? each.visible : []))
    return { chatId, heard, say: async (text: string) => void (await say(text)) }
  }
  const close = async () => {
    await kernel.stop()
    await fake.close()
  }
  return { platform, join, close, url }
}

describe('the platform keeps its contract, over real connections', () => {
  for (const { name, run } of platformContract(setup)) test(name, run)
})

test('the plugin is what a plugin has to be', async () => {
  const report = await conformance({ dir, config: { platforms: { courier: { webhook_port: 0 } } } })
  expect(report.cases.filter(({ result }) => result === 'failed')).toEqual([])
})

test('it is rehearsed with every fault of its service', { timeout: 240_000 }, async () => {
  await using kernel = await testKernel({ dirs: [dir], plugins: ['rehearsal', 'webhook-plugin'] })
  const runs = kernel.use(PlatformDryRuns)
  const steps = await runs.run('courier', { chaos: await runs.faults('courier') })
  expect(steps.filter(({ result }) => result === 'failed')).toEqual([])
})

test('a platform with a webhook takes at most 250 lines, its stand-in included', () => {
  const files = readdirSync(dir).filter((name) => /^(?!.*\.test\.).*\.ts$|^plugin\.json$/.test(name))
  const lines = files.map((name) => readFileSync(join(dir, name), 'utf8').split('\n').length)
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(250)
})
