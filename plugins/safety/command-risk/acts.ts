/** The work of the service `hard-line`; imported when it is first asked. */
import { lstat, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CommandEffects } from 'svc/sdk/shell'
import { findHardLine, readWhole } from './assess.ts'
import { quickScan } from './quick-scan.ts'
import { isBlockDevice } from './sensitive-paths.ts'
import type { ShellSessions } from './sessions.ts'

const MAX_SCRIPT = 65_536
const FAILED = 'could not be checked against what is never allowed, because the check itself failed'

/** Contract: `HardLine.check` of the SDK. */
export async function checkActs(acts: CommandEffects, sessions: ShellSessions): Promise<string | undefined> {
  try {
    const { command, cwd, shell, sessionId, writes = [] } = acts
    const written = writes.map((path) => resolve(cwd, path)).find(isNeverWritten)
    if (written !== undefined) return `writes to ${written}, which is a device and no file`
    if (command === undefined || command === '') return undefined
    const setting = { cwd, ...(shell ? { shell } : {}), ...(sessionId ? { sessionId } : {}), read: readScript }
    const script = await readWhole(command, setting, sessions)
    return findHardLine(script, command) ?? (script.state.isIncomplete ? quickScan(command) : undefined)
  } catch {
    return FAILED
  }
}

function isNeverWritten(path: string): boolean {
  return isBlockDevice(path) || path === '/proc/sysrq-trigger'
}

/** A local script; undefined if it cannot be read. */
async function readScript(path: string): Promise<string | undefined> {
  const found = await lstat(path)
  if (!found.isFile() || found.size > MAX_SCRIPT) return undefined
  const file = await open(path, 'r')
  try {
    return (await file.readFile()).toString('utf8')
  } finally {
    await file.close()
  }
}
