import type { PluginContext } from 'svc/sdk'
import { SignInFlows } from 'svc/sdk/provider'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import type { AuthFile } from '../../../../plugins/providers/credentials/auth-file.ts'
import type { Config } from '../../../../plugins/providers/credentials/config.ts'
import type { Key } from '../../../../plugins/providers/credentials/key.ts'
import { renew } from '../../../../plugins/providers/credentials/renew-sign-in.ts'
import { emptyStore } from '../../../../plugins/providers/credentials/stored-keys.ts'

test('a sign-in that is due while svc ends is not waited for', async () => {
  const clock = virtualClock()
  const flow = { refresh: () => new Promise(() => {}) }
  const ctx = {
    signal: AbortSignal.abort(new Error('svc ends')),
    use: () => clock,
    all: (point: unknown) => ({ get: () => (point === SignInFlows ? flow : undefined) }),
  } as unknown as PluginContext<Config>
  const stored = { id: 'a', access_token: 'token-old', source: 'openai:oauth', expires_at: clock.now() + 1 }
  const file = {
    update: async (work: (all: unknown) => unknown) => work({ ...emptyStore(), credential_pool: { openai: [stored] } }),
  } as unknown as AuthFile
  const key = { id: 'a', provider: 'openai', key: 'token-old', stored } as unknown as Key
  expect(await renew(ctx, file, key, 'due')).toEqual({ key })
})
