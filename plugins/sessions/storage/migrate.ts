/** Brings a file to the schema of its owner. `user_version` counts the steps it has had. */
import { errorMessage, SvcError } from 'svc/sdk'
import type { ServiceCaller } from 'svc/sdk/host'
import type { Connection } from './driver.ts'
import { isBusy, isDamage } from './storage-errors.ts'

function stepsHad(connection: Connection): number {
  return connection.pragma('user_version', { simple: true }) as number
}

/** Throws `STORAGE_TOO_NEW` when the file has had steps that its owner does not know. Writes nothing. */
export function refuseNewer(connection: Connection, steps: readonly string[], owner?: ServiceCaller): void {
  const had = stepsHad(connection)
  if (had > steps.length) throw new SvcError('STORAGE_TOO_NEW', explainNewer(connection.name, had, steps.length, owner))
}

/** A plugin of a user has versions of its own; all others are those of svc. */
function explainNewer(file: string, had: number, known: number, owner: ServiceCaller | undefined): string {
  if (!owner?.isForeign)
    return `The database ${file}${owner ? ` of ${owner.plugin}` : ''} has schema ${had}, and this svc knows schema ${known}. Update svc, or start with another SVC_HOME; the file was left as it is.`
  const { plugin } = owner
  const what = `The database ${file} was written by a later version of the plugin ${plugin} (schema ${had}, this one knows ${known})`
  return `${what}. It was not changed. Install that version again (svc plugins update ${plugin}), or return to it: svc plugins rollback ${plugin}`
}

/** Runs the missing steps, each in a separate transaction. Other processes may be doing the same. */
export function migrate(connection: Connection, steps: readonly string[], owner?: ServiceCaller): void {
  for (let had = stepsHad(connection); had < steps.length; had = stepsHad(connection)) {
    connection.transaction(() => runStep(connection, steps, had)).immediate()
  }
  refuseNewer(connection, steps, owner)
}

function runStep(connection: Connection, steps: readonly string[], expected: number): void {
  // Another process may have run it while this one waited for the lock.
  if (stepsHad(connection) !== expected) return
  try {
    connection.exec(steps[expected] ?? '')
    const broken = connection.pragma('foreign_key_check') as readonly { table: string }[]
    if (broken[0]) throw new Error(`rows of ${broken[0].table} would refer to rows that do not exist`)
  } catch (error) {
    if (isDamage(error) || isBusy(error)) throw error
    throw new SvcError(
      'STORAGE_MIGRATION_FAILED',
      `Step ${expected + 1} of the schema of ${connection.name} failed (${errorMessage(error)}) and was taken back. Report this; the older svc still reads the file.`,
      { cause: error },
    )
  }
  connection.pragma(`user_version = ${expected + 1}`)
}
