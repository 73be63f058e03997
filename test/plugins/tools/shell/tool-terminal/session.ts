/** The tools `terminal` and `process` on a real kernel, for tests of backends and background processes. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type Clock, type ToolContext, type ToolResult, Tools } from 'svc/sdk'
import { ProcessNotified } from 'svc/sdk/hooks'
import type { ProcessNotification } from 'svc/sdk/shell'
import { fakeToolTurn, type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, vi } from 'vitest'
import { newMark, processesWith } from './support.ts'

/** What a tool answered, with its data at hand. */
export interface Answer extends ToolResult {
  readonly data: Readonly<Record<string, unknown>>
}

/** A session whose tools are called as the agent calls them. Disposing of it fails when a process is left. */
export interface ToolSession extends AsyncDisposable {
  readonly kernel: TestKernel
  readonly notices: readonly ProcessNotification[]
  terminal(input: object, turn?: Partial<ToolContext>): Promise<Answer>
  process(input: object, turn?: Partial<ToolContext>): Promise<Answer>
  /** Whether the tool `terminal` counts as isolated. */
  isolated(): boolean
  /** Processes of this machine that commands have started. */
  started(): number[]
}

/** Where and with what a session is opened. */
export interface SessionOptions {
  readonly cwd: string
  readonly plugins?: readonly string[]
  /** The block `terminal`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Plugins that are not to run. */
  readonly disabled?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly home?: string
  readonly clock?: Clock
}

/** Opens one. */
export async function openSession(options: SessionOptions): Promise<ToolSession> {
  const mark = newMark()
  process.env['SVC_TEST_SESSION'] = mark
  const notices: ProcessNotification[] = []
  const kernel = await testKernel({
    plugins: ['tool-terminal', 'tool-process', ...(options.plugins ?? [])],
    config: { terminal: options.config ?? {}, plugins: { disabled: options.disabled ?? [] } },
    env: { ...options.env },
    ...(options.home === undefined ? {} : { home: options.home }),
    ...(options.clock && { clock: options.clock }),
    with: [
      {
        name: 'listener',
        setup: (ctx) => void ctx.on(ProcessNotified, (notice) => void notices.push(notice)),
      },
    ],
  })
  expect(kernel.problems()).toEqual([])
  const call = async (name: string, input: object, more: Partial<ToolContext> = {}) => {
    const turn = fakeToolTurn({ sessionId: 's', cwd: options.cwd, ...more })
    return (await kernel.all(Tools).get(name)?.run(input, turn)) as Answer
  }
  const started = () => processesWith(`SVC_TEST_SESSION=${mark}`)
  return {
    ...{ kernel, notices, started },
    terminal: (input, turn) => call('terminal', input, turn),
    process: (input, turn) => call('process', input, turn),
    isolated: () => kernel.all(Tools).get('terminal')?.isolated?.() ?? false,
    async [Symbol.asyncDispose]() {
      await kernel.stop()
      // What was killed leaves when the machine gets round to it.
      await vi.waitFor(() => expect(started().map(describeProcess)).toEqual([]), { timeout: 5000 })
    },
  }
}

function describeProcess(pid: number): string {
  try {
    return `${pid}: ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`
  } catch {
    return `${pid}, which has just ended`
  }
}

/** Whether a program is here and runs: the reason why a test is skipped. */
export function lacks(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 10_000 }).status !== 0
}
