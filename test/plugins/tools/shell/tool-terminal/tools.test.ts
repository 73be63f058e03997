import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Tool, type ToolContext, type ToolResult, Tools } from 'svc/sdk'
import { fakeToolTurn, type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TerminalData } from '../../../../../plugins/tools/shell/tool-terminal/report.ts'
import { newMark, processesWith, temporaryFolder } from './support.ts'

/** Handed on to commands, so that every process they start can be found. */
const MARK = newMark()
let kernel: TestKernel | undefined

beforeEach(() => {
  process.env['SVC_TEST_MARK'] = MARK
})

afterEach(async () => {
  await kernel?.stop()
  kernel = undefined
  expect(processesWith(`SVC_TEST_MARK=${MARK}`)).toEqual([])
})

/** The tool, as the agent has it. */
async function openTool(config: object = {}, env: Record<string, string> = {}): Promise<Tool> {
  kernel = await testKernel({ plugins: ['agent', 'tool-terminal'], config: { terminal: config }, env })
  expect(kernel.problems()).toEqual([])
  const tool = kernel.all(Tools).get('terminal')
  if (tool === undefined) throw new Error('the tool is missing')
  return tool
}

const turnIn = (cwd: string, more: Partial<ToolContext> = {}) => fakeToolTurn({ cwd, ...more })

async function run(
  tool: Tool,
  input: object,
  turn: ToolContext,
): Promise<ToolResult & { readonly data: TerminalData }> {
  return (await tool.run(input, turn)) as ToolResult & { readonly data: TerminalData }
}

describe('the tool', () => {
  test('takes little room in a request, and is never repeated after a crash', async () => {
    const tool = await openTool()
    const parameters = tool.input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
    expect(JSON.stringify({ name: tool.name, description: tool.description, parameters }).length).toBeLessThan(1050)
    expect(tool).toMatchObject({ effect: 'once', toolset: 'terminal' })
    expect(tool.parallel).toBeFalsy()
  })

  test('gives the model the output, and front ends the figures', async () => {
    using folder = temporaryFolder()
    const tool = await openTool()
    const result = await run(tool, { command: 'echo hello' }, turnIn(folder.path))
    expect(result.text).toBe('hello')
    expect(result.failed).toBeUndefined()
    expect(result.data).toMatchObject({ output: 'hello\n', exitCode: 0, cwd: folder.path, truncated: false })
    expect(result.data.durationMs).toBeGreaterThanOrEqual(0)
  })

  test('says how a command failed, and what an exit code means', async () => {
    using folder = temporaryFolder()
    const tool = await openTool()
    const turn = turnIn(folder.path)
    expect(await run(tool, { command: 'echo no >&2; exit_with() { return 4; }; exit_with' }, turn)).toMatchObject({
      text: 'no\n[exit 4]',
      failed: true,
    })
    const none = await run(tool, { command: 'grep x /dev/null' }, turn)
    expect(none).toMatchObject({ text: '[exit 1: no line matched]', data: { meaning: 'no line matched' } })
    expect(none.failed).toBeUndefined()
    expect((await run(tool, { command: 'true' }, turn)).text).toBe('(no output)')
  })

  test('says when the folder is another one, and keeps to it', async () => {
    using folder = temporaryFolder()
    const tool = await openTool()
    const turn = turnIn(folder.path)
    expect((await run(tool, { command: 'cd /usr' }, turn)).text).toBe('[now in /usr]')
    expect((await run(tool, { command: 'pwd' }, turn)).text).toBe('/usr')
  })

  test('works elsewhere for one command when a folder is named, relative to that of the session', async () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, 'sub'))
    const tool = await openTool()
    const result = await run(tool, { command: 'pwd', workdir: 'sub' }, turnIn(folder.path))
    expect(result.text).toBe(join(folder.path, 'sub'))
    expect(result.data.cwd).toBe(folder.path)
    const missing = tool.run({ command: 'touch never', workdir: 'missing' }, turnIn(folder.path))
    await expect(missing).rejects.toMatchObject({ code: 'TERMINAL_NO_FOLDER' })
  })

  test('keeps 50,000 bytes of a long output and says how much is missing', async () => {
    using folder = temporaryFolder()
    const tool = await openTool()
    const result = await run(tool, { command: 'seq 100000' }, turnIn(folder.path))
    expect(result.data.truncated).toBe(true)
    expect(result.text).toMatch(/^1\n2\n3\n/)
    expect(result.text).toMatch(/\n99999\n100000$/)
    expect(result.text).toContain('[... 538,895 bytes left out here ...]')
  })

  test('tells people how far a command is while it runs', async () => {
    using folder = temporaryFolder()
    const tool = await openTool()
    const seen: string[] = []
    const command = 'mkfifo gate; echo step one; read -r _ < gate; echo done'
    const progress = (text: string) => {
      seen.push(text)
      void run(tool, { command: 'echo > gate' }, turnIn(folder.path, { sessionId: 'other' }))
    }
    expect((await run(tool, { command }, turnIn(folder.path, { progress }))).text).toBe('step one\ndone')
    expect(seen).toEqual(['step one'])
  })
})

describe('a command that is stopped', () => {
  test('by its time gives 124, and the next one runs in a new shell in the same folder', async () => {
    using folder = temporaryFolder()
    const tool = await openTool({ timeout: 0.3 })
    const turn = turnIn(folder.path)
    await run(tool, { command: 'cd /usr; x=1' }, turn)
    const result = await run(tool, { command: 'echo half; sleep 300' }, turn)
    expect(result).toMatchObject({ failed: true, data: { exitCode: 124, output: 'half\n' } })
    expect(result.text).toMatch(/^half\n\[exit 124: took longer than 0.3 s .* new shell in \/usr; variables .* gone\]$/)
    expect((await run(tool, { command: 'pwd; echo "[$x]"' }, turn)).text).toBe('/usr\n[]')
  })

  test('by the user gives 130', async () => {
    using folder = temporaryFolder()
    const tool = await openTool()
    const stop = new AbortController()
    const turn = turnIn(folder.path, { signal: stop.signal, progress: () => stop.abort() })
    const result = await run(tool, { command: 'echo on its way; sleep 300' }, turn)
    expect(result).toMatchObject({ failed: true, data: { exitCode: 130 } })
    expect(result.text).toContain('interrupted')
  })

  test('by the plugin going away leaves nothing behind', async () => {
    using folder = temporaryFolder()
    const tool = await openTool()
    const unloaded: Promise<unknown>[] = []
    const progress = () => void unloaded.push(kernel?.plugins.disable('tool-terminal') ?? Promise.resolve())
    const result = await run(tool, { command: 'echo up; setsid sleep 300' }, turnIn(folder.path, { progress }))
    expect(result.failed).toBe(true)
    await Promise.all(unloaded)
    expect(processesWith(`SVC_TEST_MARK=${MARK}`)).toEqual([])
  })
})

describe('what cannot be run', () => {
  test('is refused before anything happens', async () => {
    using folder = temporaryFolder()
    const tool = await openTool()
    const turn = turnIn(folder.path)
    await expect(tool.run({ command: 'echo a\0b' }, turn)).rejects.toMatchObject({ code: 'TERMINAL_BAD_COMMAND' })
    await expect(tool.run({ command: 'true', timeout: 601 }, turn)).rejects.toMatchObject({ code: 'TERMINAL_TOO_LONG' })
    expect(processesWith(`SVC_TEST_MARK=${MARK}`)).toEqual([])
  })
})

describe('secrets', () => {
  test('are neither in the environment of commands nor in what they print', async () => {
    using folder = temporaryFolder()
    const tool = await openTool({ env_passthrough: ['PASSED_TOKEN'] }, { SOME_API_KEY: 'canary-value-1' })
    process.env['HIDDEN_API_KEY'] = 'canary-value-2'
    process.env['HARMLESS'] = 'holds canary-value-1 inside'
    process.env['PASSED_TOKEN'] = 'canary-value-3'
    try {
      const { text } = await run(tool, { command: 'env; echo canary-value-1' }, turnIn(folder.path))
      expect(text).not.toContain('canary-value-1')
      expect(text).not.toContain('canary-value-2')
      expect(text).toContain('PASSED_TOKEN=canary-value-3')
      expect(text).toContain('***')
      expect(text).not.toMatch(/^(NODE_OPTIONS|npm_)/m)
    } finally {
      for (const name of ['HIDDEN_API_KEY', 'HARMLESS', 'PASSED_TOKEN']) delete process.env[name]
    }
  })
})

test('without a persistent shell nothing lasts', async () => {
  using folder = temporaryFolder()
  const tool = await openTool({ persistent_shell: false })
  const turn = turnIn(folder.path)
  await run(tool, { command: 'cd /usr; x=1; sleep 300 & true' }, turn)
  expect(processesWith(`SVC_TEST_MARK=${MARK}`)).toEqual([])
  expect((await run(tool, { command: 'pwd; echo "[$x]"' }, turn)).text).toBe(`${folder.path}\n[]`)
  expect(tool.description).not.toContain('last between calls')
})
