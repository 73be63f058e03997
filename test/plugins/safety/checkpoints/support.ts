/** A store in a temporary home, and trees of files to compare. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Random } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { type Config, config } from '../../../../plugins/safety/checkpoints/config.ts'
import { CheckpointStore } from '../../../../plugins/safety/checkpoints/service.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

let numbers = 0

/** A store as the plugin opens it. */
export function openStore(
  options: {
    readonly home?: string
    readonly config?: Partial<Config>
    readonly clock?: Clock
    readonly path?: string
    readonly random?: Partial<Random>
  } = {},
): CheckpointStore {
  const home = options.home ?? temporaryFolder()
  const clock = options.clock ?? virtualClock()
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  return new CheckpointStore({
    config: config.parse(options.config ?? {}),
    dir: join(home, 'data', 'checkpoints'),
    svcHome: home,
    clock: () => clock,
    random: () => ({
      next: () => 0.5,
      hex: (bytes) => (++numbers).toString(16).padStart(bytes * 2, '0'),
      uuid: () => `00000000-0000-4000-8000-${(++numbers).toString(16).padStart(12, '0')}`,
      ...options.random,
    }),
    searchPath: () => options.path ?? process.env['PATH'] ?? '/usr/bin:/bin',
    signal: ended.signal,
  })
}

/** A folder that is a project, without links in its own path. */
export function projectFolder(): string {
  const folder = join(realpathSync(temporaryFolder()), 'project')
  mkdirSync(join(folder, '.git'), { recursive: true })
  return folder
}

/** Everything below a folder but `.git`: one line for each file, link and folder, by its bytes. */
export function listTree(folder: string): string[] {
  return listEntries(Buffer.from(folder), '').sort()
}

function listEntries(folder: Buffer, prefix: string): string[] {
  return readdirSync(folder, { encoding: 'latin1' }).flatMap((name) => {
    if (name === '.git') return []
    const path = Buffer.concat([folder, Buffer.from('/'), Buffer.from(name, 'latin1')])
    const stats = lstatSync(path)
    const shown = JSON.stringify(`${prefix}${name}`)
    if (stats.isSymbolicLink()) return [`${shown} -> ${readlinkSync(path, 'latin1')}`]
    if (stats.isDirectory()) return [`${shown}/`, ...listEntries(path, `${prefix}${name}/`)]
    return [`${shown} ${(stats.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}`]
  })
}
