/** The built gateway with nothing but its API server, over a model that uses a tool when it is asked to. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Reply } from './model-replies.ts'
import { type RecordedRequest, startModelServer } from './model-server.ts'
import { removeFolder } from './remove-folder.ts'
import { root } from './repository.ts'

const KEY = 'correct-horse-battery-staple'
const START_MS = 60_000

export interface Served {
  readonly url: string
  readonly key: string
  close(): Promise<void>
}

interface Said {
  readonly role: string
  readonly content?: unknown
}

/** Holds back its callers until as many are here as are expected. */
class Meeting {
  readonly #expected: number
  readonly #names: Set<string> = new Set()
  readonly #complete: Promise<void>
  #open = () => {}

  constructor(expected: number) {
    this.#expected = expected
    this.#complete = new Promise((resolve) => {
      this.#open = resolve
    })
  }

  join(name: string): Promise<void> {
    this.#names.add(name)
    if (this.#names.size >= this.#expected) this.#open()
    return this.#complete
  }
}

const lookUp = { text: 'Let me look.', calls: [{ name: 'read_file', arguments: { path: 'note.txt' } }] }

/**
 * Asks for a tool once, and tells how many results it has when it is asked for something else. Those who want to meet are
 * answered when all are waiting, each by its own name.
 */
async function answer({ body }: RecordedRequest, meeting: Meeting): Promise<Reply> {
  const messages = body['messages'] as readonly Said[]
  const last = messages.at(-1)
  if (body['response_format'] !== undefined) return '{"says":"milk"}'
  const name = /Meet the others as ([\w ]+)\./.exec(
    JSON.stringify(messages.findLast(({ role }) => role === 'user')),
  )?.[1]
  if (last?.role === 'tool') return name === undefined ? 'It says milk.' : `Hello ${name}.`
  if (name !== undefined) await meeting.join(name)
  if (name !== undefined || JSON.stringify(last?.content).includes('note')) return lookUp
  return `I know of ${messages.filter(({ role }) => role === 'tool').length} results.`
}

/** Starts it. `meeting` is how many clients are expected to talk at once. */
export async function serve({ meeting = 1 }: { readonly meeting?: number } = {}): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-clients-'))
  const [home, cwd] = [join(folder, 'home'), join(folder, 'work')]
  mkdirSync(home)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'note.txt'), 'milk\n')
  const guests = new Meeting(meeting)
  const model = await startModelServer({ replies: (request) => answer(request, guests) })
  writeFileSync(
    join(home, 'config.yaml'),
    `model:\n  provider: custom\n  base_url: ${model.url}\n  default: fake-model\nplatforms:\n  api_server:\n    cwd: ${cwd}\n    max_concurrent_runs: ${Math.max(10, meeting)}\n`,
  )
  const port = await freePort()
  const env = { PATH: process.env['PATH'], SVC_HOME: home, API_SERVER_KEY: KEY, API_SERVER_PORT: String(port) }
  const args = [join(root, 'dist/kernel/bin.cjs'), 'gateway', 'run', '--no-supervise']
  const child = spawn(process.execPath, args, { env, cwd, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const close = async () => {
    child.kill()
    await ended
    await model.close()
    removeFolder(folder)
  }
  for (const limit = performance.now() + START_MS; ; await pause(50)) {
    const isThere = await fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isThere) return { url: `http://127.0.0.1:${port}/v1`, key: KEY, close }
    if (child.exitCode === null && performance.now() < limit) continue
    await close()
    throw new Error('the gateway did not start')
  }
}

/** A port that no one listens on now. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
