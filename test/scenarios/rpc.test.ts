import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../support/model-server.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const bin = join(root, 'dist/kernel/bin.cjs')

interface Line {
  readonly id?: number | null
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
  readonly params?: { readonly type: string; readonly payload: Record<string, unknown> }
}

function start(config: string): { child: ChildProcessWithoutNullStreams; lines: Line[]; send(message: object): void } {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': config })
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home, CUSTOM_API_KEY: 'sk-0123456789abcdef' }
  const child = spawn(process.execPath, [bin, 'rpc'], { env, cwd: home })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: Line[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as Line))
  return {
    child,
    lines,
    send: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
  }
}

const ended = (child: ChildProcessWithoutNullStreams) => new Promise((resolve) => child.on('close', resolve))

test('an editor starts svc, talks with the agent, and at the end of its input the turn is still finished', async () => {
  const server = await startModelServer({ replies: () => 'It is a test.' })
  onTestFinished(() => server.close())
  const { child, lines, send } = start(`model: { provider: custom, base_url: ${server.url}, default: fake-model }\n`)
  const end = ended(child)
  send({ id: 1, method: 'session.create' })
  await expect.poll(() => lines.length).toBe(1)
  send({
    id: 2,
    method: 'prompt.submit',
    params: { session_id: lines[0]?.result?.['session_id'], text: 'what is this?' },
  })
  child.stdin.end()
  expect(await end).toBe(0)
  const last = lines.findLast(({ params }) => params?.type === 'message.complete')
  expect(last?.params?.payload).toMatchObject({ text: 'It is a test.', status: 'complete' })
})

test('a line of 40 MB is refused and costs the next line nothing', async () => {
  const { child, lines, send } = start('')
  const end = ended(child)
  child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"prompt.submit","params":{"text":"${'x'.repeat(40_000_000)}"}}\n`)
  send({ id: 2, method: 'commands.catalog' })
  child.stdin.end()
  expect(await end).toBe(0)
  expect(lines.map(({ id }) => id)).toEqual([null, 2])
  expect(lines[0]?.error).toMatchObject({ code: -32600, message: expect.stringContaining('32 MiB') })
})
