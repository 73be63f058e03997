/** Whether the databases of a home are sound: for `svc doctor`. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, errorMessage, type Home } from 'svc/sdk'
import type { HealthCheck, HealthFinding } from 'svc/sdk/host'
import { formatCount } from 'svc/sdk/kit/terminal'

export function storageCheck(home: () => Home): HealthCheck {
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
        const problem = await findDamage(join(folder, file))
        if (problem !== undefined)
          findings.push({
            state: 'problem',
            text: `${file} is damaged: ${problem}`,
            fix: 'Stop svc and start it again: the file is set aside and its newest backup takes its place.',
          })
      }
      return findings.length > 0 ? findings : [{ state: 'ok', text: formatSoundFiles(files.length) }]
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
