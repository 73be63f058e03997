/** What changes something is for people: the process that asks is found out, whatever it says of itself. */
import { execFile } from 'node:child_process'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Control } from 'svc/sdk/host'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { temporaryHome } from './support.ts'

const asker = join(import.meta.dirname, 'asker.mjs')
const PATH = process.env['PATH'] ?? ''
const marked = { PATH, [AGENT_PROCESS_VARIABLE]: 'x' }

async function served(): Promise<{ kernel: TestKernel; calls: unknown[] }> {
  const kernel = await testKernel({ home: temporaryHome(), plugins: ['control'] })
  const calls: unknown[] = []
  await kernel.use(Control).serve('chat', {
    change: (params) => calls.push(params),
    look: { read: true, run: () => 'seen' },
  })
  return { kernel, calls }
}

/** What its own process is answered. */
async function ask(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const [file = '', ...args] = command
  const { stdout } = await promisify(execFile)(file, args, { env })
  return JSON.parse(stdout) as Record<string, unknown>
}

const asks = (home: string, method: string, how = 'well') => [process.execPath, asker, home, method, '{"a":1}', how]

describe.skipIf(process.platform !== 'linux')('who asks', () => {
  test('a person changes something and sees something', async () => {
    const { kernel, calls } = await served()
    await using _ = kernel
    expect(await ask(asks(kernel.home, 'change'), { PATH })).toMatchObject({ result: 1 })
    expect(await ask(asks(kernel.home, 'look'), { PATH })).toMatchObject({ result: 'seen' })
    expect(calls).toEqual([{ a: 1 }])
    expect(readdirSync(join(kernel.home, 'run'))).toEqual([`${process.pid}.sock`])
  })

  const ways = {
    directly: (command: readonly string[]) => command,
    // Below a shell that stays: `env -i` in place of the marked process would leave no trace of it.
    'without its mark': (command: readonly string[]) => ['bash', '-c', `env -i ${command.map(quoted).join(' ')}; true`],
  }
  test.each(['directly', 'without its mark'] as const)(
    'a program of the agent changes nothing %s, and may look',
    async (way) => {
      const { kernel, calls } = await served()
      await using _ = kernel
      expect(await ask(ways[way](asks(kernel.home, 'change')), marked)).toMatchObject({
        error: { code: 'CONTROL_AGENT' },
      })
      expect(await ask(ways[way](asks(kernel.home, 'look')), marked)).toMatchObject({ result: 'seen' })
      expect(calls).toEqual([])
    },
  )

  test.each(['plugins.enable', 'plugins.disable', 'plugins.reload'])('%s is for people', async (method) => {
    const { kernel } = await served()
    await using _ = kernel
    expect(await ask(asks(kernel.home, method), marked)).toMatchObject({ error: { code: 'CONTROL_AGENT' } })
    expect(await ask(asks(kernel.home, 'plugins.list'), marked)).toMatchObject({ result: { problems: [] } })
  })

  test.each(['silent', 'reader', 'twice', 'other'])('without a proof (%s) nothing is changed', async (how) => {
    const { kernel, calls } = await served()
    await using _ = kernel
    expect(await ask(asks(kernel.home, 'change', how), { PATH })).toMatchObject({ error: { code: 'CONTROL_UNPROVEN' } })
    expect(calls).toEqual([])
  })

  test('another command of a person proves itself unasked', async () => {
    const { kernel, calls } = await served()
    await using _ = kernel
    await using command = await testKernel({ home: kernel.home, plugins: ['control'] })
    expect(await command.use(Control).ask('change', { b: 2 })).toMatchObject([{ result: 1 }])
    expect(calls).toEqual([{ b: 2 }])
  })

  test('what a killed process left of its proof is taken away at the next start', async () => {
    const { kernel } = await served()
    await using _ = kernel
    const left = join(kernel.home, 'run', `proof-${'0'.repeat(32)}`)
    writeFileSync(left, '')
    utimesSync(left, 0, 0)
    await using second = await testKernel({ home: kernel.home, plugins: ['control'] })
    await second.use(Control).serve('gateway')
    expect(readdirSync(join(kernel.home, 'run'))).not.toContain(`proof-${'0'.repeat(32)}`)
  })
})

test('methods that a plugin adds are answered wherever the process is reachable, and go with it', async () => {
  const home = temporaryHome()
  await using chat = await testKernel({ home, plugins: ['control'] })
  await chat.use(Control).serve('chat')
  const off = chat.use(Control).answer({ late: { read: true, run: () => 'here' } })
  expect(await chat.use(Control).ask('late')).toMatchObject([{ result: 'here' }])
  await off()
  expect(await chat.use(Control).ask('late')).toMatchObject([{ error: { code: 'CONTROL_METHOD_UNKNOWN' } }])
})

function quoted(word: string): string {
  return `'${word}'`
}
