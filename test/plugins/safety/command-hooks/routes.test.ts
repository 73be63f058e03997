/** Hooks of the configuration as the dashboard shows and changes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'

const PATH = '/api/ops/hooks'
const WRITTEN = `# mine
hooks:
  Stop:
    - hooks:
        - command: notify \${TOPIC}
        - command: bell
`

test('a command is added after a yes, listed, and taken out; what else is written stays', async () => {
  const home = temporaryFolder()
  const file = join(home, 'config.yaml')
  writeFileSync(file, WRITTEN)
  const { ask } = await openDashboard({ home, plugins: ['command-hooks', 'config'], env: { TOPIC: 'otters' } })
  const hooks = () => parse(readFileSync(file, 'utf8')).hooks
  expect((await ask('GET', PATH)).json).toMatchObject({
    hooks: [
      { event: 'Stop', command: 'notify otters', source: 'config', allowed: true, last: null },
      { event: 'Stop', command: 'bell' },
    ],
    valid_events: expect.arrayContaining(['PreToolUse', 'Stop']),
  })
  const added = { event: 'Stop', command: 'say done', timeout: 5 }
  expect((await ask('POST', PATH, { body: added })).status).toBe(400)
  expect((await ask('POST', PATH, { body: { ...added, event: 'Nonsense', approve: true } })).status).toBe(400)
  expect(readFileSync(file, 'utf8')).toBe(WRITTEN)
  expect((await ask('POST', PATH, { body: { ...added, approve: true } })).json).toMatchObject({
    ok: true,
    approved: true,
  })
  const tool = { event: 'PreToolUse', command: 'check', matcher: 'Bash', approve: true }
  expect((await ask('POST', PATH, { body: tool })).status).toBe(200)
  // It is in effect at once.
  const listed = (await ask('GET', PATH)).json as { hooks: { command: string; matcher: string }[] }
  expect(listed.hooks).toContainEqual(
    expect.objectContaining({ event: 'PreToolUse', command: 'check', matcher: 'Bash' }),
  )
  // A variable stays one.
  expect(hooks().Stop).toEqual([
    { hooks: [{ command: 'notify ${TOPIC}' }, { command: 'bell' }] },
    { hooks: [{ type: 'command', command: 'say done', timeout: 5 }] },
  ])
  expect(hooks().PreToolUse).toEqual([{ matcher: 'Bash', hooks: [{ type: 'command', command: 'check' }] }])
  const remove = (event: string, command: string) => ask('DELETE', PATH, { body: { event, command } })
  expect((await remove('Stop', 'bell')).status).toBe(200)
  expect((await remove('Stop', 'bell')).status).toBe(404)
  expect((await remove('Stop', 'say done')).status).toBe(200)
  expect((await remove('PreToolUse', 'check')).status).toBe(200)
  expect(hooks()).toEqual({ Stop: [{ hooks: [{ command: 'notify ${TOPIC}' }] }] })
  expect(readFileSync(file, 'utf8')).toContain('# mine')
})
