/** A runtime under the rules of a machine, which no public option can set. */

import { join } from 'node:path'
import type { CliContext } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import { onTestFinished } from 'vitest'
import type { MachineFile } from '../../home/machine-config.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type Booted, boot } from '../../program/boot.ts'
import { failure } from '../../program/cli.ts'
import { findEntry, listEntries } from '../../program/command-entry.ts'
import { runLoaded } from '../../program/run-loaded.ts'
import { temporaryFolder, writeFiles } from './temporary.ts'

const owner = process.getuid?.() ?? 0

/** The file of a machine that holds this text. */
export function machineWith(text: string): MachineFile {
  const dir = temporaryFolder()
  writeFiles(dir, { 'config.yaml': text })
  return { file: join(dir, 'config.yaml'), owner }
}

interface StageOptions {
  readonly machine: MachineFile
  readonly home?: string
  readonly profile?: string
  readonly config?: Record<string, unknown>
  readonly env?: Readonly<Record<string, string>>
}

/** A kernel with these plugins loaded; stopped after the test. */
export async function kernelUnder(options: StageOptions, plugins: readonly string[] = []): Promise<Kernel> {
  return (await bootUnder(options, plugins)).kernel
}

/** The same with what the kernel stands on. */
export async function bootUnder(options: StageOptions, plugins: readonly string[] = []): Promise<Booted> {
  const home = options.home ?? temporaryFolder()
  const booted = await boot({ cwd: home, ...options, env: options.env ?? {}, home, repair: true })
  onTestFinished(() => booted.stop())
  await booted.kernel.load(plugins)
  return booted
}

/** Runs `svc <words>` under the rules of a machine. */
export async function runUnder(options: StageOptions, words: readonly string[]) {
  const booted = await bootUnder(options)
  const { kernel } = booted
  const said = { out: '', err: '' }
  const io: CliContext = {
    out(text) {
      said.out += text
    },
    err(text) {
      said.err += text
    },
    drained: async () => undefined,
    async *lines() {},
    stdin: async () => undefined,
    ask: async () => undefined,
    interactive: false,
    color: false,
    columns: 80,
    cwd: kernel.home.dir,
    signal: new AbortController().signal,
    onInterrupt: () => toRegistration(() => {}),
  }
  const found = findEntry(listEntries(kernel.plugins.list()), words)
  const [command, argv] = [found?.entry.name ?? words[0] ?? '', found?.after ?? words.slice(1)]
  try {
    const code = await runLoaded(booted, { command, plugins: [found?.entry.of.manifest.name ?? ''], argv }, io)
    return { code, ...said }
  } catch (error) {
    const { text, code } = failure(error)
    return { code, out: said.out, err: said.err + text }
  }
}
