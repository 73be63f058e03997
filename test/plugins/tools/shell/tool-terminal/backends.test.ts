import type { Secrets } from 'svc/sdk'
import { describe, expect, test } from 'vitest'
import { backendName, isPersistent } from '../../../../../plugins/tools/shell/tool-terminal/backends.ts'
import { config } from '../../../../../plugins/tools/shell/tool-terminal/config.ts'
import { openSession } from './session.ts'
import { temporaryFolder } from './support.ts'

const variables = (values: Record<string, string>) => ({ get: (name: string) => values[name] }) as Secrets

describe('the backend', () => {
  test('is the one that is configured, unless a variable names another', () => {
    expect(backendName(config.parse({}), variables({}))).toBe('local')
    expect(backendName(config.parse({ backend: 'ssh' }), variables({}))).toBe('ssh')
    expect(backendName(config.parse({ backend: 'ssh' }), variables({ TERMINAL_ENV: 'Docker' }))).toBe('docker')
  })

  test('that no one offers is named, with those there are', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path, config: { backend: 'moon' } })
    await expect(session.terminal({ command: 'true' })).rejects.toMatchObject({
      ...{ code: 'TERMINAL_NO_BACKEND', message: expect.stringMatching(/"moon".*local/) },
    })
    expect(session.isolated()).toBe(false)
  })
})

describe('whether shells are kept', () => {
  test.for([
    [{}, true, true],
    [{}, false, false],
    [{ TERMINAL_PERSISTENT_SHELL: 'false' }, true, false],
    [{ TERMINAL_LOCAL_PERSISTENT: 'no' }, true, false],
    [{ TERMINAL_LOCAL_PERSISTENT: '1', TERMINAL_PERSISTENT_SHELL: '0' }, false, true],
    [{ TERMINAL_SSH_PERSISTENT: 'false' }, true, true],
  ] as const)('with %j and persistent_shell %j is %j', ([env, configured, expected]) => {
    expect(isPersistent('local', config.parse({ persistent_shell: configured }), variables(env))).toBe(expected)
  })

  test('is heard by the tool', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path, env: { TERMINAL_LOCAL_PERSISTENT: 'false' } })
    await session.terminal({ command: 'x=1' })
    expect((await session.terminal({ command: 'echo "[$x]"' })).text).toBe('[]')
  })
})
