/** A real kernel in a temporary home: the way to test a plugin. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OpenOptions, type OpenSvc, openSvc } from 'svc'
import type { CliContext } from '../cli.ts'
import { toRegistration } from '../kit/async/registration.ts'
import { splitLines } from '../kit/net/lines.ts'
import type { PluginProblem } from '../plugins.ts'

/** The output of a shell command. @since 0.1 */
export interface CliResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The input of a shell command. @since 0.1 */
export interface CliSetting {
  /** Standard input; parts come as they are given, for a command that reads line by line. */
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>
  /** Answers to its questions, in order; the terminal ends after them. */
  readonly answers?: readonly string[]
  readonly interactive?: boolean
  readonly cwd?: string
  readonly signal?: AbortSignal
}

/** An open runtime for one test. @since 0.1 */
export interface TestKernel extends Omit<OpenSvc, 'run'> {
  problems(): readonly PluginProblem[]
  run(argv: readonly string[], setting?: CliSetting): Promise<CliResult>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens a runtime that shares nothing with the machine: a fresh home (removed by `stop` unless one was given), an
 * empty environment, and only the plugins that are named.
 * @since 0.1
 */
export async function testKernel(options: OpenOptions = {}): Promise<TestKernel> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'svc-test-'))
  const open = await openSvc({ env: {}, ...options, home })
  const stop = async () => {
    await open.stop()
    if (options.home === undefined) rmSync(home, { recursive: true, force: true })
  }
  return {
    ...open,
    stop,
    problems: () => open.plugins.problems(),
    run: (argv, setting) => runCli(open, argv, setting ?? {}),
    [Symbol.asyncDispose]: stop,
  }
}

async function runCli(open: OpenSvc, argv: readonly string[], setting: CliSetting): Promise<CliResult> {
  const said = { out: '', err: '' }
  const answers = [...(setting.answers ?? [])]
  const { stdin } = setting
  const io: CliContext = {
    out(text) {
      said.out += text
    },
    drained: async () => undefined,
    lines: (maxBytes) => splitLines(toStream(stdin), { maxBytes, keepsRest: true }),
    err(text) {
      said.err += text
    },
    stdin: async () => {
      const parts: Uint8Array[] = []
      for await (const part of toStream(stdin)) parts.push(part)
      return stdin === undefined ? undefined : Buffer.concat(parts)
    },
    ask: async (prompt) => {
      said.err += prompt
      return answers.shift()
    },
    interactive: setting.interactive ?? false,
    color: false,
    columns: 80,
    cwd: setting.cwd ?? open.home,
    signal: setting.signal ?? new AbortController().signal,
    onInterrupt: (listener) => {
      setting.signal?.addEventListener('abort', listener)
      return toRegistration(() => setting.signal?.removeEventListener('abort', listener))
    },
  }
  const code = await open.run(argv, io)
  return { code, ...said }
}

async function* toStream(stdin: CliSetting['stdin']): AsyncGenerator<Uint8Array> {
  if (typeof stdin === 'string') yield Buffer.from(stdin)
  else if (stdin instanceof Uint8Array) yield stdin
  else if (stdin) yield* stdin
}
