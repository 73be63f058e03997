/** A policy that has a say in what is installed. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import { BeforePluginInstall, type PluginInstallation } from 'svc/sdk/safety'
import { expect, test } from 'vitest'
import { plugins, temporaryFolder, writePlugin } from './support.ts'

type Verdict = 'deny' | 'ask' | 'throw' | undefined

function policy(verdict: () => Verdict, seen: PluginInstallation[]) {
  return {
    name: 'policy',
    with: ['config-file'],
    setup: (ctx: PluginContext<undefined>) =>
      void ctx.on(BeforePluginInstall, (installation) => {
        seen.push(installation)
        if (verdict() === 'throw') throw new Error('a defect')
        if (verdict() === 'deny') return { decision: 'deny', reason: 'hello is not on the list' }
        return verdict() && { decision: 'ask', question: { reason: 'Nobody has reviewed hello.' } }
      }),
  }
}

test('a policy denies an installation before any code of it runs, asks, and allows; the same for an update', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const source = writePlugin(folder, 'hello')
  const seen: PluginInstallation[] = []
  let verdict: Verdict = 'deny'
  const install = () =>
    plugins(home, ['install', source, '--yes', '--no-verify', '--no-enable'], { with: [policy(() => verdict, seen)] })
  expect(await install()).toMatchObject({ code: 1, err: expect.stringContaining('hello is not on the list') })
  expect(seen[0]).toMatchObject({
    kind: 'install',
    name: 'hello',
    version: '1.0.0',
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(seen[0]?.source).toContain(source)
  expect(existsSync(join(home, 'plugins', 'hello'))).toBe(false)
  verdict = 'ask'
  expect(await install()).toMatchObject({ code: 0, err: expect.stringContaining('Nobody has reviewed hello.') })

  writePlugin(folder, 'hello', { version: '1.1.0' })
  verdict = 'deny'
  const update = () =>
    plugins(home, ['update', 'hello', '--yes', '--no-verify'], { with: [policy(() => verdict, seen)] })
  expect(await update()).toMatchObject({ code: 1, err: expect.stringContaining('hello is not on the list') })
  verdict = undefined
  expect(await update()).toMatchObject({ code: 0, out: expect.stringContaining('1.1.0') })
  expect(seen.at(-1)).toMatchObject({ kind: 'update', version: '1.1.0' })
})
