/** Whether the databases of a home are sound: for `svc doctor`. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, errorMessage, type Home } from 'svc/sdk'
import type { HealthCheck, HealthFinding } from 'svc/sdk/host'
import { formatCount, formatMegabytes, quotePath } from 'svc/sdk/kit/terminal'
import { listBackupFiles } from './database-generation.ts'
import { LARGE_LOG_BYTES } from './log-size.ts'
import type { RescueDeps } from './restore-backup.ts'

export interface HealthDeps {
  readonly home: () => Home
  readonly rescue: () => RescueDeps
}

export function storageCheck({ home, rescue }: HealthDeps): HealthCheck {
  return {
    name: 'storage',
    title: 'Storage',
    order: 40,
    async check(signal) {
      const folder = home().path('data')
      const files = databasesBelow(folder)
      const findings: HealthFinding[] = []
      for (const file of files) {
        signal.throwIfAborted()
        const found = await judgeDatabase(file, join(folder, file), rescue)
        if (found) findings.push(found)
      }
      return findings.length > 0 ? findings : [{ state: 'ok', text: formatSoundFiles(files.length) }]
    },
  }
}

async function judgeDatabase(
  name: string,
  file: string,
  rescue: HealthDeps['rescue'],
): Promise<HealthFinding | undefined> {
  const problem = await findDamage(file)
  if (problem !== undefined) return describeDamage(name, file, problem, rescue)
  const { findOlder } = await import('./older-database.ts')
  if (findOlder(file))
    return {
      state: 'problem',
      text: `${name} is older than when svc last used it: an old copy was restored.`,
      fix: `svc storage restore ${quotePath(file)} continues with its backup, svc storage accept with the file.`,
    }
  const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (bytes <= LARGE_LOG_BYTES) return undefined
  return {
    state: 'warning',
    text: `The log of ${name} has ${formatMegabytes(bytes)}.`,
    fix: 'svc doctor --fix writes it into the database.',
    repair: async () => {
      const { connect } = await import('./driver.ts')
      const connection = connect(file)
      try {
        connection.pragma('wal_checkpoint(TRUNCATE)')
      } finally {
        connection.close()
      }
      return `The log of ${name} was written into the database.`
    },
  }
}

/** Without a backup an empty database would take its place: a person decides about that. */
function describeDamage(name: string, file: string, problem: string, rescue: HealthDeps['rescue']): HealthFinding {
  const backup = listBackupFiles(file).find((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0)
  const finding: HealthFinding = {
    state: 'problem',
    text: `${name} is damaged: ${problem}`,
    fix: 'Stop svc and start it again: the file is set aside and its newest backup takes its place.',
  }
  if (backup === undefined) return finding
  return {
    ...finding,
    repair: async () => {
      const { replaceDamaged } = await import('./restore-backup.ts')
      replaceDamaged({ file, inode: statSync(file).ino, ...rescue() }, problem)
      return `${name} was replaced by its newest sound backup; the damaged file is next to it. Restart what has it open.`
    },
  }
}

function formatSoundFiles(count: number): string {
  if (count === 0) return 'No database yet.'
  return `${formatCount(count, 'database')} ${count === 1 ? 'is' : 'are'} sound.`
}

function databasesBelow(folder: string): readonly string[] {
  try {
    const all = readdirSync(folder, { recursive: true, withFileTypes: false }) as string[]
    return all.filter((name) => name.endsWith('.db')).sort()
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Reads only; concurrent writers are not disturbed. */
async function findDamage(file: string): Promise<string | undefined> {
  const { openReadOnly } = await import('./driver.ts')
  const { refuseDamage } = await import('./damage.ts')
  try {
    const connection = openReadOnly(file)
    try {
      refuseDamage(connection)
    } finally {
      connection.close()
    }
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}
