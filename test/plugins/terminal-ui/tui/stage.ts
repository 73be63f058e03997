/** The full screen on a terminal that only remembers: what it shows can be read, what it is given is typed by the test. */

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CliContext, type Conversation, Conversations } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import type { StyledLine, TerminalInput } from 'svc/sdk/terminal'
import { type Frame, type TerminalScreen, TerminalScreens, Tui } from 'svc/sdk/terminal'
import { type FakeProvider, testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { pluginNames } from '../../../support/repository.ts'

/** The words of a line. */
export const joinSpans = (line: StyledLine): string => line.map(({ text }) => text).join('')

/** A terminal. */
export class RememberingScreen implements TerminalScreen {
  columns = 80
  rows = 24
  readonly colors = 256
  pictures = 0
  picture: Frame = { lines: [] }
  readonly said: string[] = []
  closed = false
  /** Resolves when someone listens to what is typed. */
  readonly heard: Promise<void>
  #hear: () => void = () => {}
  #reportsReleases = false
  #listeners = new Set<(input: TerminalInput) => void>()

  constructor() {
    this.heard = new Promise((resolve) => {
      this.#hear = resolve
    })
  }

  draw(picture: Frame): void {
    this.pictures++
    this.picture = picture
  }
  forget(): void {
    this.said.push('forget')
  }
  look(): void {}
  onInput(listener: (input: TerminalInput) => void) {
    this.#listeners.add(listener)
    this.#hear()
    return toRegistration(() => void this.#listeners.delete(listener))
  }
  lend<T>(work: () => Promise<T>): Promise<T> {
    this.said.push('lend')
    return work()
  }
  async suspend(): Promise<void> {
    this.said.push('suspend')
  }
  title(text: string): void {
    this.said.push(`title ${text}`)
  }
  bell(): void {
    this.said.push('bell')
  }
  notify(title: string, body: string): boolean {
    this.said.push(`notify ${title}: ${body}`)
    return true
  }
  releases(on: boolean): void {
    if (on !== this.#reportsReleases) this.said.push(`releases ${on}`)
    this.#reportsReleases = on
  }
  copy(text: string): void {
    this.said.push(`copy ${text}`)
  }
  async close(): Promise<void> {
    this.closed = true
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
  put(input: TerminalInput): void {
    for (const listener of this.#listeners) listener(input)
  }
}

/** The built-in plugins that take part; what else comes along with a conversation is no subject here. */
const cast = [
  ...[
    'tui',
    'tui-composer',
    'tui-transcript',
    'typography',
    'markdown',
    'display',
    'language',
    'conversation',
    'agent',
    'people',
    'sessions',
    'storage',
  ],
  ...[
    'caches',
    'models',
    'model-calls',
    'caches',
    'prompt',
    'approvals',
    'command-risk',
    'tool-terminal',
    'tool-files',
    'tool-clarify',
    'config',
    'yaml-edit',
  ],
]
export const apart = pluginNames().filter((name) => !cast.includes(name))

/** An open interface. */
export interface Stage {
  readonly screen: RememberingScreen
  readonly clock: VirtualClock
  readonly kernel: Awaited<ReturnType<typeof testKernel>>
  readonly conversation: Conversation
  /** The exit code, once it ended. */
  readonly code: Promise<number>
  readonly out: string[]
  /** Types letters, then whatever keys are named. */
  type(text: string, ...keys: readonly string[]): Promise<void>
  key(...names: readonly string[]): Promise<void>
  /** Waits until the conversation is idle, and what is due is drawn. */
  settled(): Promise<void>
  /** Lets what is due be drawn. */
  drawn(): Promise<void>
  /** Waits until these words are seen. */
  seen(words: string): Promise<void>
  /** What is seen now. */
  text(): string
}

/** Opens it; everything ends with the test. */
export async function stage(
  provider: FakeProvider,
  options: {
    readonly plugins?: readonly string[]
    readonly with?: NonNullable<Parameters<typeof testKernel>[0]>['with']
    readonly display?: Record<string, unknown>
    readonly config?: Record<string, unknown>
    readonly run?: Partial<Parameters<Tui['run']>[1]>
    readonly home?: string
    readonly env?: Readonly<Record<string, string>>
  } = {},
): Promise<Stage> {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-tui-'))
  const clock = virtualClock()
  const screen = new RememberingScreen()
  const kernel = await testKernel({
    ...(options.home !== undefined && { home: options.home }),
    ...(options.env && { env: options.env }),
    clock,
    plugins: ['tui', 'display', 'models', 'agent', ...(options.plugins ?? [])],
    with: [
      provider.plugin,
      {
        name: 'remembering-screens',
        provides: ['terminal-screens'],
        setup: (ctx) => void ctx.provide(TerminalScreens, () => ({ open: async () => screen })),
      },
      ...(options.with ?? []),
    ],
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      display: options.display ?? {},
      plugins: { disabled: apart },
      ...options.config,
    },
  })
  expect(kernel.problems()).toEqual([])
  const out: string[] = []
  const io = terminalIo(cwd, out)
  const code = kernel.use(Tui).run(io, { settings: {}, yolo: false, ...options.run })
  const drawn = () => clock.advance(20)
  // Real programs take part: the clock must not run far ahead of them, or their limits are over before they have begun.
  const pass = async () => {
    await drawn()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const key = async (...names: readonly string[]) => {
    for (const name of names) screen.put({ type: 'key', name })
    await drawn()
  }
  onTestFinished(async () => {
    screen.put({ type: 'closed' })
    await code.catch(() => undefined)
    await kernel.stop()
    removeFolder(cwd)
  })
  await Promise.race([screen.heard, code])
  await drawn()
  const [conversation] = kernel.use(Conversations).all()
  if (!conversation) throw new Error(`no conversation: ${await code}`)
  return {
    ...{ screen, clock, kernel, conversation, code, out, key, drawn },
    async type(text, ...keys) {
      for (const letter of text) screen.put({ type: 'text', text: letter })
      await key(...keys)
    },
    async settled() {
      let isIdle = false
      void conversation.idle().then(() => {
        isIdle = true
      })
      while (!isIdle) await pass()
      await drawn()
    },
    async seen(words) {
      while (!renderText(screen.picture).includes(words)) await pass()
    },
    text: () => renderText(screen.picture),
  }
}

/** A picture as text. */
export function renderText({ lines }: Pick<Frame, 'lines'>): string {
  return lines.map((line) => joinSpans(line).trimEnd()).join('\n')
}

function terminalIo(cwd: string, out: string[]): CliContext {
  return {
    out: (text) => void out.push(text),
    drained: async () => undefined,
    async *lines() {},
    err: (text) => void out.push(text),
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
