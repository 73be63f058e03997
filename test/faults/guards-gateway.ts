/** Its own gateway for one case: asked over HTTP, in a chat and by a webhook, while a guard is missing. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { StandInService } from 'svc/sdk/platform'
import { openStandIn } from '../support/stand-ins.ts'
import type { SabotagedBuild } from './guards-build.ts'
import { DONE, type Effects, GuardCase, type Way } from './guards-case.ts'

const KEY = 'a-key-for-tests-only-a-key-for-tests-only'
const SECRET = 'a secret between two machines'
const PATIENCE_MS = 25_000
const QUIET_MS = 1500

export const surfaces = ['api', 'chat', 'webhook'] as const
export type Surface = (typeof surfaces)[number]

/** What came of it. */
export interface Outcome {
  /** Undefined while the gateway did not come up at all. */
  readonly effects: Readonly<Record<Surface, Effects>>
  readonly isUp: boolean
  readonly said: string
  /** What people were told on the surfaces that answer. */
  readonly answers: readonly string[]
  readonly heard: string
  /** `/health/detailed` and `svc gateway status --json`, where they are asked for. */
  readonly health: Readonly<Record<string, unknown>>
  readonly status: Readonly<Record<string, unknown>>
}

/** Runs the gateway, has the model attempt its effects on all surfaces, and stops it. */
export async function throughGateway(build: SabotagedBuild, way: Way, config: object = {}): Promise<Outcome> {
  const fake = await openStandIn('telegram')
  const [api, hooks] = [await freePort(), await freePort()]
  const routes = { hook: { style: 'gitlab', secret: SECRET, prompt: '{text}' } }
  const open = { dm_policy: 'open', allow_all: true, enabled: true }
  const platforms = {
    [fake.name]: { ...fake.config, ...open },
    webhook: { enabled: true, port: hooks, routes },
  }
  const it = await GuardCase.open(build, way, { config: { platforms, ...config }, place: 'home/workspace' })
  // Requests over HTTP are worked on in the home folder of the account, unless this says where; chats in the workspace.
  it.configure((settings) => {
    const all = (settings['platforms'] ?? {}) as Record<string, object>
    return { ...settings, platforms: { ...all, api_server: { ...all['api_server'], cwd: it.project } } }
  })
  const env = { ...it.environment, ...fake.env, API_SERVER_KEY: KEY, API_SERVER_PORT: String(api) }
  const child = spawn(process.execPath, [it.bin, 'gateway', 'run', '--no-supervise', '--json'], {
    cwd: it.project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text
    })
  try {
    const texts = Object.fromEntries(surfaces.map((surface) => [surface, it.prepare(surface)])) as Record<
      Surface,
      string
    >
    const isUp = await comesUp(child, api, () => said)
    let answers: readonly string[] = []
    if (isUp)
      answers = await Promise.all([askApi(api, texts.api), askHook(hooks, texts.webhook), askChat(fake, texts.chat)])
    const health = isUp ? await json(`http://127.0.0.1:${api}/health/detailed`) : {}
    const status = isUp && way.name === 'disabled' ? await gatewayStatus(it, env) : {}
    await settled(it)
    const effects = Object.fromEntries(surfaces.map((surface) => [surface, it.effects(surface)]))
    return { effects: effects as Outcome['effects'], isUp, said, answers, heard: it.heard(), health, status }
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    await fake.close()
    await it.close()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** False when the gateway ended instead. */
async function comesUp(child: ChildProcess, port: number, said: () => string): Promise<boolean> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(50)) {
    if (child.exitCode !== null) return false
    const { ok } = await fetch(`http://127.0.0.1:${port}/health`).catch(() => ({ ok: false }))
    // A guard that fails at each call can keep the server from starting; then the chats are all there is.
    if (ok || /"state":"(running|degraded)","pid"/.test(said())) return true
  }
  throw new Error(`The gateway neither answers nor ends:\n${said()}`)
}

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

async function json(url: string): Promise<Record<string, unknown>> {
  const answer = await fetch(url, { headers }).catch(() => undefined)
  return ((await answer?.json()) ?? {}) as Record<string, unknown>
}

async function askApi(port: number, content: string): Promise<string> {
  const body = JSON.stringify({ model: 'svc', messages: [{ role: 'user', content }] })
  const url = `http://127.0.0.1:${port}/v1/chat/completions`
  const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
  return answer?.text() ?? 'There is no server.'
}

async function askHook(port: number, text: string): Promise<string> {
  const proof = { 'x-gitlab-event': 'Push Hook', 'idempotency-key': text, 'x-gitlab-token': SECRET }
  const post = () =>
    fetch(`http://127.0.0.1:${port}/webhooks/hook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...proof },
      body: JSON.stringify({ text }),
    }).catch(() => undefined)
  for (const end = Date.now() + PATIENCE_MS; ; await pause(50)) {
    const answer = await post()
    if (answer?.ok) return ''
    if (Date.now() > end) throw new Error(`The webhook was not taken: ${answer?.status} ${await answer?.text()}`)
  }
}

/** Says it once the bot listens, and waits for what it is told. */
async function askChat(fake: StandInService, text: string): Promise<string> {
  const { say, chatId } = fake.member()
  await say(text)
  const told = () => fake.deliveries().flatMap((each) => (each.chatId === chatId ? [each.visible] : []))
  let [since, count] = [Date.now(), 0]
  // Where nothing continues, a few words are all there is.
  const isQuiet = () => count > 0 && Date.now() - since > QUIET_MS
  for (const end = Date.now() + PATIENCE_MS; !isQuiet() && !told().join().includes(DONE); await pause(50)) {
    // A gateway that cannot even answer has no effect either; those that must answer show it by what they wrote.
    if (Date.now() > end) break
    if (told().length > count) [since, count] = [Date.now(), told().length]
  }
  return told().join('\n')
}

async function gatewayStatus(it: GuardCase, env: NodeJS.ProcessEnv): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, [it.bin, 'gateway', 'status', '--json'], { cwd: it.project, env })
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  await once(child, 'close')
  return JSON.parse(out) as Record<string, unknown>
}

/** The webhook has no answer to wait for: until no model was asked for a while. */
async function settled(it: GuardCase): Promise<void> {
  for (let before = -1; before !== it.heard().length; await pause(300)) before = it.heard().length
}
