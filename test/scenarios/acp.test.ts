import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { client, methods, ndJsonStream, type SessionUpdate } from '@agentclientprotocol/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { runBuilt } from '../support/built.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'

const bin = join(root, 'dist/kernel/bin.cjs')

function start(home: string): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home }
  const child = spawn(process.execPath, [bin, 'acp'], { env, cwd: home })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

function openEditor(child: ChildProcessWithoutNullStreams, permit: (options: readonly string[]) => string) {
  const updates: SessionUpdate[] = []
  const asked: string[] = []
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
  )
  const connection = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params.toolCall.title ?? '')
      return { outcome: { outcome: 'selected', optionId: permit(params.options.map(({ optionId }) => optionId)) } }
    })
    .connect(stream)
  return { agent: connection.agent, updates, asked }
}

const isUpdate = ({ sessionUpdate }: SessionUpdate) => sessionUpdate === 'tool_call_update'
const ended = (child: ChildProcessWithoutNullStreams) => new Promise((resolve) => child.on('close', resolve))
const text = (words: string) => [{ type: 'text' as const, text: words }]

test('an editor that starts svc for the first time has a file written and shown, and finds the session again', async () => {
  const [home, work] = [temporaryFolder(), temporaryFolder()]
  const child = start(home)
  const over = ended(child)
  const { agent, updates } = openEditor(child, () => 'once')
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: work, mcpServers: [] })
  const prompt = text("write 'hello' to notes.txt")
  expect(await agent.request(methods.agent.session.prompt, { sessionId, prompt })).toEqual({ stopReason: 'end_turn' })
  expect(readFileSync(join(work, 'notes.txt'), 'utf8')).toContain('hello')
  expect(JSON.stringify(updates)).toContain(JSON.stringify(join(work, 'notes.txt')))
  expect(updates.some((each) => each.sessionUpdate === 'tool_call_update' && each.content?.[0]?.type === 'diff')).toBe(
    true,
  )
  child.stdin.end()
  expect(await over).toBe(0)

  const again = openEditor(start(home), () => 'once')
  await again.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  const { sessions } = await again.agent.request(methods.agent.session.list, { cwd: work })
  expect(sessions.map((each) => each.sessionId)).toEqual([sessionId])
  await again.agent.request(methods.agent.session.load, { sessionId, cwd: work, mcpServers: [] })
  expect(JSON.stringify(again.updates)).toContain('notes.txt')
})

test('an editor denies a command, and then closes its pipe in the middle of a turn: svc ends and the session is whole', async () => {
  const [home, work] = [temporaryFolder(), temporaryFolder()]
  const command = 'git reset --hard'
  const child = start(home)
  const over = ended(child)
  const { agent, asked, updates } = openEditor(child, () => 'deny')
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: work, mcpServers: [] })
  await agent.request(methods.agent.session.prompt, { sessionId, prompt: text(`run \`${command}\``) })
  expect(asked.join()).toContain(command)
  expect(updates.findLast(isUpdate)).toMatchObject({ status: 'failed' })
  agent.request(methods.agent.session.prompt, { sessionId, prompt: text('run `sleep 30`') }).catch(() => {})
  const isRunning = (each: SessionUpdate) => each.sessionUpdate === 'tool_call_update' && each.status === 'in_progress'
  await expect.poll(() => updates.some(isRunning)).toBe(true)
  child.stdin.end()
  child.stdout.destroy()
  expect(await over).toBe(0)
  const shown = runBuilt(['sessions', 'show', sessionId, '--json'], { home })
  expect(shown.out).toContain('sleep 30')
})
