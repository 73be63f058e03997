/** svc is killed while subagents work in the background: the result comes into the conversation once, whenever that was. */
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import type { FakeCall, Reply } from '../../../support/model-replies.ts'
import { type RecordedRequest, startModelServer } from '../../../support/model-server.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { isToday } from '../../../support/today.ts'

const bin = join(root, 'dist/kernel/bin.cjs')
const WAIT = { timeout: 40_000, interval: 50 }

interface Line {
  readonly id?: number
  readonly result?: Record<string, unknown>
}

/** A program over RPC, and its conversation. */
function start(home: string) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home, CUSTOM_API_KEY: 'sk-0123456789abcdef' }
  const child = spawn(process.execPath, [bin, 'rpc'], { env, cwd: home, stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const answers = new Map<number, (result: Record<string, unknown>) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as Line
    if (id !== undefined) answers.get(id)?.(result ?? {})
  })
  // What a killed program has not read is lost.
  child.stdin.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  let count = 0
  return {
    ended,
    kill: () => child.kill('SIGKILL'),
    call(method: string, params: object = {}): Promise<Record<string, unknown>> {
      const id = ++count
      return new Promise((resolve) => {
        answers.set(id, resolve)
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      })
    },
  }
}

interface Message {
  readonly role: string
  readonly content?: unknown
}

const messagesIn = ({ body }: RecordedRequest) => body['messages'] as readonly Message[]

/** The model has no memory: what it says follows from what it is asked. */
function answer(request: RecordedRequest, look: FakeCall): Reply {
  const messages = messagesIn(request)
  const last = messages.at(-1)
  const text = String(last?.content ?? '')
  if (String(messages[0]?.content).startsWith('You are a subagent')) {
    if (last?.role === 'tool') return `did ${String(messages[1]?.content)}`
    return { text: 'I look.', calls: [look] }
  }
  if (last?.role === 'tool') return 'They work.'
  if (text.startsWith('[Delegation ')) return 'All read.'
  if (text !== 'go') return 'Very well.'
  const tasks = [{ goal: 'one' }, { goal: 'two' }]
  return { calls: [{ name: 'delegate_task', arguments: { tasks } }] }
}

/** Kills the program at its request with this number, before or after it is answered, and lets another one go on. */
async function killAt(number: number, when: 'before' | 'after') {
  const home = temporaryFolder()
  let kill = () => {}
  let left = number
  const server = await startModelServer({
    replies: async (request) => {
      const reply = answer(request, { name: 'list_files', arguments: { path: '.' } })
      left -= 1
      if (left !== 0) return reply
      if (when === 'before') kill()
      else setTimeout(() => kill(), 20)
      return reply
    },
  })
  onTestFinished(() => server.close())
  writeFiles(home, { 'config.yaml': `model: { provider: custom, base_url: ${server.url}, default: fake-model }\n` })
  const first = start(home)
  kill = () => first.kill()
  const { session_id, session_key: key } = await first.call('session.create', { cwd: home })
  void first.call('prompt.submit', { session_id, text: 'go' })
  await first.ended
  const second = start(home)
  const { session_id: id } = await second.call('session.resume', { session_id: key })
  const texts = async () => {
    const { messages } = (await second.call('session.history', { session_id: id })) as {
      messages: readonly { role: string; text?: string; content?: unknown }[]
    }
    return messages.map(({ text, content }) => text ?? String(content ?? ''))
  }
  await expect.poll(texts, WAIT).toContain('All read.')
  await second.call('prompt.submit', { session_id: id, text: 'and?' })
  await expect.poll(texts, WAIT).toContain('Very well.')
  const told = (await texts()).filter((text) => text.startsWith('[Delegation '))
  second.kill()
  return told
}

const points = [1, 2, 3, 4, 5, 6, 7].flatMap((number) => [
  { number, when: 'before' as const },
  { number, when: 'after' as const },
])

test.each(points.filter((_, index) => isToday(index, 7)))(
  'a kill $when the answer of request $number leaves one result in the conversation',
  async ({ number, when }) => {
    const told = await killAt(number, when)
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(/ has ended: 2 of 2 tasks are completed\..*\n.*did one.*did two/s)
  },
)

/** A program whose subagent runs this command, and whether it still runs. No other process has this argument. */
async function startCommand(more: { readonly background?: true; readonly number: number }) {
  const home = temporaryFolder()
  const seconds = String(100_000 * more.number + process.pid)
  const isAtWork = () => execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).includes(`sleep ${seconds}`)
  // It ignores what it is asked, and so does all that it starts.
  const command = `echo so far > a.txt; trap '' TERM INT HUP; sleep ${seconds}; sleep ${seconds}`
  const wasAtWork: boolean[] = []
  const server = await startModelServer({
    replies: (request) => {
      const messages = messagesIn(request)
      const isChild = String(messages[0]?.content).startsWith('You are a subagent')
      if (isChild && messages.at(-1)?.role === 'tool') wasAtWork.push(isAtWork())
      return answer(request, { name: 'terminal', arguments: { command, ...(more.background && { background: true }) } })
    },
  })
  onTestFinished(() => server.close())
  const model = `model: { provider: custom, base_url: ${server.url}, default: fake-model }\n`
  writeFiles(home, { 'config.yaml': `${model}delegation: { subagent_auto_approve: true }\n` })
  const program = start(home)
  const { session_id } = await program.call('session.create', { cwd: temporaryFolder() })
  await program.call('prompt.submit', { session_id, text: 'go' })
  const told = () =>
    server.requests
      .map((request) => String(messagesIn(request).at(-1)?.content))
      .filter((text) => text.startsWith('[Delegation '))
  return { program, isAtWork, wasAtWork, told }
}

const END_MS = 5000

test('what a subagent has started in the background is ended with it, also when it ignores that it is asked to', async () => {
  const { isAtWork, wasAtWork, told } = await startCommand({ background: true, number: 1 })
  await expect.poll(told, WAIT).toHaveLength(1)
  expect(wasAtWork).toContain(true)
  expect(isAtWork()).toBe(false)
})

test('a subagent that is interrupted has ended with its command within 5 s, and what there was is returned', async () => {
  const { program, isAtWork, told } = await startCommand({ number: 2 })
  await expect.poll(isAtWork, WAIT).toBe(true)
  const { active } = (await program.call('delegation.status')) as { active: readonly { subagent_id: string }[] }
  expect(active).toHaveLength(2)
  const begun = performance.now()
  for (const { subagent_id } of active) await program.call('subagent.interrupt', { subagent_id })
  await expect.poll(isAtWork, { ...WAIT, interval: 20 }).toBe(false)
  expect(performance.now() - begun).toBeLessThan(END_MS)
  await expect.poll(told, WAIT).toHaveLength(1)
  expect(told()[0]).toMatch(/0 of 2 tasks[\s\S]*status interrupted · exit_reason interrupted[\s\S]*I look\./)
})
