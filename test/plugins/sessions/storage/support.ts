/** Its own storage for each test: a temporary folder, a virtual clock, and a log that can be read. */
import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import type { Logger, Random } from 'svc/sdk'
import { type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { afterAll, onTestFinished } from 'vitest'
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

export const notes = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)']

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-storage-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** Makes a script that node runs out of a TypeScript file; removed after the tests. Called while tests are collected. */
export async function bundleScript(entry: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-script-'))
  const script = join(folder, 'script.mjs')
  // The native library stays outside and is found through this.
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction')
  await build({
    entryPoints: [entry],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['svc-source'],
    external: ['better-sqlite3', 'kysely', 'pg'],
    logLevel: 'error',
  })
  afterAll(() => removeFolder(folder))
  return script
}

/** Random enough for names. */
export function countingRandom(): Random {
  let count = 0
  const hex = (bytes: number) => (count++).toString(16).padStart(bytes * 2, '0')
  return { next: () => 0.5, hex, uuid: () => hex(16) }
}

/** Keeps lines as `level message`. */
export function keepingLog(): Logger & { readonly lines: string[] } {
  const lines: string[] = []
  const keep = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
}

export interface Fixture {
  readonly folder: string
  readonly file: string
  readonly clock: VirtualClock
  readonly lines: readonly string[]
  readonly storage: SqliteStorage
}

/** A storage that is closed after the test. */
export function storageFixture(clock = virtualClock(Date.now())): Fixture {
  const folder = temporaryFolder()
  const log = keepingLog()
  const storage = new SqliteStorage({ clock, random: countingRandom(), log })
  onTestFinished(() => storage.close())
  return { folder, file: join(folder, 'notes.db'), clock, lines: log.lines, storage }
}
