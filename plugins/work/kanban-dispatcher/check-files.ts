/** Checks of files: whether they are there, what they hold, and their hash. Read from the real file within the workspace. */
import { createHash } from 'node:crypto'
import { createReadStream, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import type { TaskCheck } from 'svc/sdk/kanban'
import type { CheckResult } from './checks.ts'

type FileCheck = Extract<TaskCheck, { type: 'file' | 'hash' }>

/** Larger files are hashed, but not searched. */
const MAX_SEARCHED = 64 * 1024 * 1024

export async function checkFile(check: FileCheck, workspace: string, signal: AbortSignal): Promise<CheckResult> {
  const found = findFile(check.path, workspace)
  if ('problem' in found) return { isMet: false, detail: found.problem }
  if (check.type === 'file' && check.contains === undefined)
    return { isMet: true, detail: `${check.path} is there, ${found.size} bytes` }
  if (check.type === 'file' && found.size > MAX_SEARCHED)
    return { isMet: false, detail: `${check.path} is too large to be searched: ${found.size} bytes` }
  const { sha256, parts } = await readFile(found.path, check.type === 'file', signal)
  if (check.type === 'hash') {
    const isMet = sha256 === check.sha256.toLowerCase()
    return { isMet, detail: `${check.path} has the SHA-256 ${sha256}${isMet ? '' : `, not ${check.sha256}`}` }
  }
  const isMet = Buffer.concat(parts).includes(check.contains ?? '')
  const shown = JSON.stringify((check.contains ?? '').slice(0, 80))
  return { isMet, detail: `${check.path} ${isMet ? 'holds' : 'does not hold'} ${shown}; SHA-256 ${sha256}` }
}

/** Links are followed: what they lead to has to be in the workspace, too. */
function findFile(
  path: string,
  workspace: string,
): { readonly path: string; readonly size: number } | { readonly problem: string } {
  const wanted = resolve(workspace, path)
  if (!isInside(wanted, workspace)) return { problem: `${path} is not in the workspace` }
  const stats = statSync(wanted, { throwIfNoEntry: false })
  if (!stats) return { problem: `${path} is not there` }
  if (!stats.isFile()) return { problem: `${path} is not a file` }
  const real = realpathSync(wanted)
  if (!isInside(real, realpathSync(workspace))) return { problem: `${path} is a link that leads out of the workspace` }
  return { path: real, size: stats.size }
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

async function readFile(path: string, keeps: boolean, signal: AbortSignal) {
  const hash = createHash('sha256')
  const parts: Buffer[] = []
  for await (const part of createReadStream(path, { signal })) {
    hash.update(part as Buffer)
    if (keeps) parts.push(part as Buffer)
  }
  return { sha256: hash.digest('hex'), parts }
}
