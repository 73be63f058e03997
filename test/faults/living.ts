/** A process with a full screen, a chat on Telegram and a stream of the API open, each of which can be used. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CliContext } from 'svc/sdk'
import { YamlEditor } from 'svc/sdk/host'
import { toRegistration } from 'svc/sdk/kit/async'
import type { StandInService } from 'svc/sdk/platform'
import { Gateway } from 'svc/sdk/platform'
import { TerminalScreens, Tui } from 'svc/sdk/terminal'
import { fakeProvider, type TestKernel, testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { onTestFinished } from 'vitest'
import { RememberingScreen, renderText } from '../plugins/terminal-ui/tui/stage.ts'
import { openStandIn } from '../support/stand-ins.ts'
import { temporaryFolder } from '../support/temporary.ts'

const KEY = 'correct-horse-battery-staple'
const PATIENCE_MS = 20_000

/** A reply of the API that is under way. */
export interface OpenStream {
  /** Lets the model finish; resolves with the whole text, once the stream ended as the protocol says. */
  finish(): Promise<string>
}

export interface Living {
  readonly kernel: TestKernel
  readonly fake: StandInService
  /** Asks for a reply and waits until the model works on it. */
  stream(): Promise<OpenStream>
  /** Writes in the chat; resolves when the answer is there. */
  chat(): Promise<void>
  /** Sends a message on the screen, and runs commands that only a screen has. */
  screen(): Promise<void>
  /** Sets keys in config.yaml, as an editor does, and has them applied. */
  edit(path: readonly string[], value: unknown): Promise<void>
}

/** Everything ends with the test. */
export async function openLiving(): Promise<Living> {
  const [home, cwd, fake, port] = [
    temporaryFolder(),
    temporaryFolder(),
    await openStandIn('telegram'),
    await freePort(),
  ]
  onTestFinished(() => fake.close())
  mkdirSync(home, { recursive: true })
  const config = join(home, 'config.yaml')
  const telegram = { ...fake.config, dm_policy: 'open', allow_all: true }
  const blocks = {
    model: { provider: 'fake', default: 'fake-1' },
    platforms: { telegram, api_server: { port, cwd } },
    // More is said in one chat than programs should say to each other.
    gateway: { cwd, loop_messages: 0 },
    plugins: { disabled: ['tui-screen'] },
  }
  writeFileSync(config, JSON.stringify(blocks, undefined, 2))
  const gates = new Map<string, () => void>()
  const model = fakeProvider((request) => {
    const last = JSON.stringify(request.messages.at(-1))
    const [, stream] = /stream (\d+)/.exec(last) ?? []
    if (stream === undefined) return `You said ${/(chat|screen) \d+/.exec(last)?.[0] ?? 'nothing'}.`
    const gate = new Promise<void>((resolve) => void gates.set(stream, resolve))
    return { pieces: ['begun ', 'ended'], gate }
  })
  const screen = new RememberingScreen()
  const kernel = await testKernel({
    home,
    cwd,
    env: { PATH: process.env['PATH'], API_SERVER_KEY: KEY, ...fake.env },
    plugins: ['gateway', 'chat', 'tui', 'tui-panes', 'session-commands', 'plugin-manager', 'config-cli'],
    with: [
      model.plugin,
      {
        name: 'remembering-screens',
        provides: ['terminal-screens'],
        setup: (ctx) => void ctx.provide(TerminalScreens, () => ({ open: async () => screen })),
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  const gateway = kernel.use(Gateway)
  await gateway.start()
  const code = kernel.use(Tui).run(terminalIo(cwd), { settings: {}, yolo: false })
  onTestFinished(async () => {
    screen.put({ type: 'closed' })
    await code
  })
  await Promise.race([screen.heard, code])
  const member = fake.member()
  let count = 0
  const type = async (text: string) => {
    for (const letter of text) screen.put({ type: 'text', text: letter })
    screen.put({ type: 'key', name: 'enter' })
  }
  const seen = (words: string) =>
    until(
      `the screen shows "${words}"`,
      () => renderText(screen.picture).includes(words),
      () => renderText(screen.picture),
    )
  return {
    kernel,
    fake,
    async stream() {
      const number = String(++count)
      const url = kernel
        .use(Http)
        .apps()
        .find(({ name }) => name === 'api-server')?.url
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'svc', stream: true, messages: [{ role: 'user', content: `stream ${number}` }] }),
      })
      if (!response.ok || !response.body)
        throw new Error(`the API answers ${response.status}: ${await response.text()}`)
      await until(`the model is asked for stream ${number}`, () => gates.has(number))
      return {
        async finish() {
          gates.get(number)?.()
          const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '))
          if (lines.at(-1) !== 'data: [DONE]') throw new Error(`the stream ended with ${lines.at(-1)}`)
          const pieces = lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '')
          return pieces.join('')
        },
      }
    },
    async chat() {
      const text = `chat ${++count}`
      await member.say(text)
      const answered = () => fake.deliveries().some(({ visible }) => visible.includes(`You said ${text}.`))
      await until(`the chat is answered`, answered, () => JSON.stringify(gateway.status().platforms))
    },
    async screen() {
      const text = `screen ${++count}`
      await type(text)
      await seen(`You said ${text}.`)
      screen.said.length = 0
      await type('/copy')
      await until(
        '/copy copies',
        () => screen.said.some((said) => said === `copy You said ${text}.`),
        () => renderText(screen.picture),
      )
      await type('/redraw')
      await until(
        '/redraw draws',
        () => screen.said.includes('forget'),
        () => renderText(screen.picture),
      )
      screen.put({ type: 'key', name: 'f1' })
      await seen('type to filter')
      screen.put({ type: 'key', name: 'escape' })
    },
    async edit(path, value) {
      writeFileSync(config, await kernel.use(YamlEditor).edit(readFileSync(config, 'utf8'), [{ path, value }]))
      await kernel.applyConfig()
    },
  }
}

/** Makes a change while all three are open, and uses each of them; what was lost, in words. */
export async function lostBy(living: Living, what: string, change: () => Promise<void>): Promise<readonly string[]> {
  const started = performance.now()
  try {
    const stream = await living.stream()
    await change()
    const said = await stream.finish()
    if (said !== 'begun ended') throw new Error(`the stream said "${said}"`)
    await Promise.all([living.chat(), living.screen()])
    return []
  } catch (error) {
    return [`${what}: ${error instanceof Error ? error.message : String(error)}`]
  } finally {
    if (process.env['SVC_TEST_TIMES']) console.log(what, Math.round(performance.now() - started))
  }
}

/** Waits for what happens in its own time; `shown` tells what there was instead. */
async function until(what: string, isSo: () => boolean, shown: () => string = () => ''): Promise<void> {
  for (const limit = performance.now() + PATIENCE_MS; !isSo(); await pause(5))
    if (performance.now() > limit) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}\n${shown()}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

function terminalIo(cwd: string): CliContext {
  return {
    out: () => {},
    drained: async () => undefined,
    async *lines() {},
    err: () => {},
    stdin: async () => undefined,
    ask: async () => undefined,
    interactive: true,
    color: true,
    terminal: { input: process.stdin, output: process.stdout, hold: () => toRegistration(() => {}) },
    columns: 80,
    cwd,
    signal: new AbortController().signal,
    onInterrupt: () => toRegistration(() => {}),
  }
}
