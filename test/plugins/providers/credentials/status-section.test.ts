/** Keys and sign-ins in `svc status`. */
import type { CredentialInfo } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { readKeysStatus } from '../../../../plugins/providers/credentials/status-section.ts'

const key = (provider: string, status: CredentialInfo['status']): CredentialInfo => ({
  ...{ id: 'a1', provider, label: 'work', type: 'api-key', source: 'manual', priority: 0 },
  ...{ key: 'sk-…5678', status, requests: 0 },
})

test('a provider whose keys are all disabled is a problem; one that can still be used is a warning', async () => {
  const keys = [key('openai', 'dead'), key('openai', 'ok'), key('openai', 'exhausted'), key('groq', 'dead')]
  expect(await readKeysStatus({ list: async () => [...keys, key('gemini', 'ok')] })).toEqual([
    {
      ...{ label: 'openai', text: '3 stored, 1 disabled, 1 cooling down' },
      ...{ state: 'warning', fix: 'svc auth status openai' },
    },
    { label: 'groq', text: '1 stored, 1 disabled', state: 'problem', fix: 'svc auth add groq' },
    { label: 'gemini', text: '1 stored', state: 'ok' },
  ])
})
