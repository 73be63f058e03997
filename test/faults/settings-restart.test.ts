/** What a person set for a conversation holds again after the process was killed, and what must not is said. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Fate, fates } from '../support/command-fates.ts'
import type { Reply } from '../support/model-replies.ts'
import { type ModelServer, type RecordedRequest, startModelServer } from '../support/model-server.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { missingTmux, Tmux } from '../support/tmux.ts'
import { GatewayHome, kill } from './gateway-restart.ts'

const LONG = { timeout: 180_000 }
const EVENTUALLY = { timeout: 60_000 }
const KEY = 'correct-horse-battery-staple'
const WAITING = JSON.stringify({ verdict: 'wait', reason: 'bees sleep', wait_for_seconds: 3600 })

const formatMessages = (request: RecordedRequest) => JSON.stringify(request.body['messages'])
const reply = (request: RecordedRequest): Reply =>
  formatMessages(request).includes('You judge') ? WAITING : 'As you say.'

/** What is typed in this place, in order. */
const listFates = (place: 'terminal' | 'gateway'): readonly Fate[] =>
  Object.values(fates)
    .flat()
    .filter(({ only }) => only === undefined || only === place)

async function model() {
  const server = await startModelServer({ replies: reply, models: ['first-model', 'second-model'] })
  onTestFinished(() => server.close())
  return { server, block: `model:\n  provider: custom\n  base_url: ${server.url}\n  default: first-model\n` }
}

/** The settings that the model was asked with about something; undefined while it was not. */
function askedWith(server: ModelServer, words: string) {
  const found = server.requests.find((request) => formatMessages(request).includes(words))
  return found && { model: found.body['model'], effort: found.body['reasoning_effort'] }
}

test.skipIf(missingTmux() !== undefined)('a terminal that was killed, continued', LONG, async () => {
  const { server, block } = await model()
  const [home, cwd] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(home, 'config.yaml'), block)
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home }
  const first = await Lines.open({ cwd, env })
  await first.line('hello')
  for (const { type } of listFates('terminal')) await first.line(type)
  await first.kill()
  const second = await Lines.open({ cwd, env }, '--continue')
  for (const { ask } of listFates('terminal')) await second.line(ask)
  for (const { says } of listFates('terminal')) await expect.poll(() => second.screen(), EVENTUALLY).toMatch(says)
  await second.line('and now?')
  await expect.poll(() => askedWith(server, 'and now?'), EVENTUALLY).toEqual({ model: 'second-model', effort: 'high' })
  // Another conversation has none of it.
  await second.line('/new now')
  await second.line('something else')
  await expect.poll(() => askedWith(server, 'something else'), EVENTUALLY).toMatchObject({ model: 'first-model' })
})

test('a gateway that was killed, in its chat', LONG, async () => {
  const { server, block } = await model()
  const place = new GatewayHome(block)
  onTestFinished(() => place.close())
  place.begin(['run'])
  const { pid } = await place.ready()
  const says = async (text: string, pattern?: RegExp) => {
    const before = place.heard().length
    place.write(text)
    const words = () => place.heard().slice(before).join('\n')
    await expect.poll(words, { timeout: 60_000 }).toMatch(pattern ?? /\S/)
    return words()
  }
  await says('hello', /As you say/)
  for (const { type } of listFates('gateway')) await says(type)
  kill(pid)
  place.begin(['run'])
  await place.ready(pid)
  const before = place.heard().length
  for (const { ask } of listFates('gateway')) await says(ask)
  await says('and now?', /As you say/)
  const all = place.heard().slice(before).join('\n')
  for (const { says: pattern } of listFates('gateway')) expect(all).toMatch(pattern)
  expect(readFileSync(join(place.home, 'config.yaml'), 'utf8')).toMatch(/spool:\s+show_reasoning: true/)
  await expect.poll(() => askedWith(server, 'and now?'), EVENTUALLY).toEqual({ model: 'second-model', effort: 'high' })
})

test.skipIf(missingTmux() !== undefined)('the API continues with what was set in a terminal', LONG, async () => {
  const { server, block } = await model()
  const port = await freePort()
  const place = new GatewayHome(`${block}platforms:\n  api_server:\n    port: ${port}\n`)
  onTestFinished(() => place.close())
  const env = { API_SERVER_KEY: KEY }
  const call = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBeLessThan(300)
    return (await response.json()) as { session?: { id: string } }
  }
  place.begin(['run'], env)
  const { pid } = await place.ready()
  const { session } = await call('/api/sessions', {})
  const terminal = await Lines.open({ cwd: place.home, env: place.environment }, '--resume', session?.id ?? '')
  await terminal.line('/model second-model')
  await terminal.kill()
  kill(pid)
  place.begin(['run'], env)
  await place.ready(pid)
  await call(`/api/sessions/${session?.id}/chat`, { message: 'and now?' })
  expect(askedWith(server, 'and now?')).toMatchObject({ model: 'second-model' })
})

/** `svc chat --plain` in a terminal. */
class Lines {
  readonly #tmux: Tmux

  private constructor(tmux: Tmux) {
    this.#tmux = tmux
  }

  static async open({ cwd, env }: { cwd: string; env: Record<string, string> }, ...words: string[]): Promise<Lines> {
    const command = [process.execPath, join(root, 'dist/kernel/bin.cjs'), 'chat', '--plain', ...words]
    const tmux = new Tmux({ command, columns: 160, rows: 250, cwd, env: { ...env, TERM: 'xterm-256color' } })
    onTestFinished(() => tmux.close())
    await tmux.shows(/^>$/m)
    return new Lines(tmux)
  }

  /** Types a line and waits for what is said to it. */
  async line(text: string): Promise<void> {
    const parts = () => this.screen().split(`${text}\n`)
    const before = parts().length
    this.#tmux.line(text)
    const isDone = () => parts().length > before && /\S/.test(parts().at(-1) ?? '')
    await expect.poll(isDone, { ...EVENTUALLY, message: text }).toBe(true)
  }

  screen(): string {
    return this.#tmux.screen()
  }

  async kill(): Promise<void> {
    kill(programIn(this.#tmux.pid()))
    await this.#tmux.shows(/left with 137/)
    await this.#tmux.close()
  }
}

/** The last of the children's children: what the shell of a terminal runs. */
function programIn(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return child === undefined ? pid : programIn(Number(child))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
