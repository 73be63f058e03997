/** Runs the built `svc` as its own process. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './repository.ts'

/** How to run it. The environment holds nothing else than what is given here. */
export interface BuiltOptions {
  readonly home: string
  readonly cwd?: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** What it did. */
export interface BuiltRun {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Said when the machine is so busy that a plugin takes a second to start: not what a test is about. */
const WAITING = /^svc: still waiting for the plugin .*\n/gm

/** Waits for the process, at most twenty seconds. */
export function runBuilt(argv: readonly string[], { home, cwd, input, env }: BuiltOptions): BuiltRun {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/kernel/bin.cjs'), ...argv], {
    cwd: cwd ?? home,
    env: { PATH: process.env['PATH'], SVC_HOME: home, ...env },
    input: input ?? '',
    encoding: 'utf8',
    timeout: 20_000,
  })
  return { code: status, out: stdout, err: stderr.replace(WAITING, '') }
}
