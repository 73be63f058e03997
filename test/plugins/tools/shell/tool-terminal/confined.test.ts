import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Tool, type ToolActions, Tools } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { cannotConfine, skipped } from '../../../safety/confinement/support.ts'
import { openSession } from './session.ts'
import { temporaryFolder } from './support.ts'

const acts = async (tool: Tool | undefined, input: object, cwd: string) =>
  (await tool?.acts?.(input, { cwd, sessionId: 's' })) as ToolActions
const PATH = process.env['PATH'] ?? ''

describe('terminal.confine', () => {
  test('off runs commands freely, says so to the gates, and is reported at every start', async () => {
    using folder = temporaryFolder()
    await using kernel = await testKernel({
      ...{ plugins: ['agent', 'tool-terminal'], config: { terminal: { confine: 'off' } }, env: { PATH } },
    })
    expect(kernel.problems()).toEqual([
      expect.objectContaining({ plugin: 'tool-terminal', code: 'TERMINAL_UNCONFINED' }),
    ])
    const { command, confined } = await acts(kernel.all(Tools).get('terminal'), { command: 'ls' }, folder.path)
    expect({ command, confined }).toEqual({ command: 'ls' })
  })

  test.for(['required', 'auto'])('%s where nothing confines', async (confine) => {
    using folder = temporaryFolder()
    await using session = await openSession({
      ...{ cwd: folder.path, plugins: ['confinement'], config: { confine }, env: { PATH: '/nowhere' } },
    })
    const tool = session.kernel.all(Tools).get('terminal')
    const marker = join(folder.path, 'ran')
    const run = session.terminal({ command: `touch ${marker}` })
    if (confine === 'auto') {
      expect((await acts(tool, { command: 'ls' }, folder.path)).confined).toBeUndefined()
      await run
      expect(existsSync(marker)).toBe(true)
      return
    }
    const refused = {
      code: 'TERMINAL_NOT_CONFINED',
      message: expect.stringContaining('install the package bubblewrap'),
    }
    await expect(run).rejects.toMatchObject(refused)
    await expect(acts(tool, { command: 'ls' }, folder.path)).rejects.toMatchObject(refused)
    expect(existsSync(marker)).toBe(false)
  })

  test('required refuses also while the plugin that confines is disabled', async () => {
    using folder = temporaryFolder()
    await using kernel = await testKernel({
      plugins: ['agent', 'tool-terminal'],
      config: { terminal: { confine: 'required' }, plugins: { disabled: ['confinement'] } },
      env: { PATH },
    })
    const asked = acts(kernel.all(Tools).get('terminal'), { command: 'ls' }, folder.path)
    await expect(asked).rejects.toMatchObject({ code: 'TERMINAL_NOT_CONFINED' })
  })
})

describe.skipIf(cannotConfine)(`what was said to the gates${skipped}`, () => {
  test('is what runs, also when what confines comes or goes in between', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path, plugins: ['confinement'], env: { PATH } })
    const tool = session.kernel.all(Tools).get('terminal')
    const outside = `${folder.path}-outside`
    const input = () => ({ command: `touch ${outside}` })
    await session.kernel.plugins.disable('confinement')
    await session.terminal({ command: 'true' })
    await session.kernel.plugins.enable('confinement')
    for (const more of [{}, { background: true }]) {
      const judged = { ...input(), ...more }
      expect((await acts(tool, judged, folder.path)).confined).toBeDefined()
      await expect(session.terminal(judged)).rejects.toMatchObject({ code: 'TERMINAL_NOT_CONFINED' })
      await session.kernel.plugins.disable('confinement')
      await session.terminal({ command: 'true' })
      await session.kernel.plugins.enable('confinement')
    }
    expect(existsSync(outside)).toBe(false)
  })
})

describe.skipIf(cannotConfine)(`what reaches further than a sandbox holds${skipped}`, () => {
  test.for([
    [['network:example.org', 'port:3000'], true],
    [['network'], false],
    [['socket:docker'], false],
    [['processes'], false],
    [['display'], false],
    [['write:/opt'], false],
    [['write:/usr/local/bin'], false],
    [['write:.vscode'], true],
  ] as const)('%j is judged as confined: %j', async ([needs, held]) => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path, plugins: ['confinement'], env: { PATH } })
    const tool = session.kernel.all(Tools).get('terminal')
    const said = acts(tool, { command: 'x', needs }, folder.path)
    if (needs[0] === 'write:/opt') return await expect(said).rejects.toMatchObject({ code: 'CONFINEMENT_NEED' })
    const { confined, ask } = await said
    expect(confined !== undefined).toBe(held)
    expect(ask?.subjects).toHaveLength(needs.length)
  })
})
