/** The volumes in which the files of a session outlive its container, and the removal of unused ones. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { logFault } from 'svc/sdk'
import type { ContainerRequest } from './container.ts'

/** As long as a removed session can be restored. */
const KEEP_MS = 30 * 24 * 60 * 60_000
const REMOVE_MS = 10_000
const PARTS = ['workspace', 'root'] as const

/** Names of volumes. The engine makes them when they are first mounted. */
export interface SessionVolumes {
  readonly workspace: string
  readonly root: string
}

/** Those of the session; undefined where its files end with the container. Notes that they are used now. */
export async function listVolumes({ program, place, host }: ContainerRequest): Promise<SessionVolumes | undefined> {
  if (!place.settings.container_persistent) return undefined
  const name = `svc-${digest(host.dataDir)}-${digest(place.sessionId)}`
  await markUsed(join(host.dataDir, 'volumes', program), name, host.clock().now())
  return { workspace: `${name}-workspace`, root: `${name}-root` }
}

/** Removes volumes that were last used 30 days ago. Those of a container that still runs stay: the engine refuses. */
export async function removeUnused({ program, place, host }: ContainerRequest): Promise<void> {
  const folder = join(host.dataDir, 'volumes', program)
  const names = await readdir(folder).catch(() => [])
  const { environment: env, cwd } = place
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name))
    if (host.clock().now() - mtimeMs < KEEP_MS) continue
    const volumes = PARTS.map((part) => `${name}-${part}`)
    try {
      await promisify(execFile)(program, ['volume', 'rm', '-f', ...volumes], {
        env: { ...env },
        cwd,
        timeout: REMOVE_MS,
      })
      await unlink(join(folder, name))
    } catch (error) {
      logFault(host.log, `the volumes ${volumes.join(', ')} could not be removed`, error)
    }
  }
}

/** A file for each session; its time is that of the last use. */
async function markUsed(folder: string, name: string, now: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, name)
  await writeFile(file, '', { flag: 'a' })
  await utimes(file, now / 1000, now / 1000)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
