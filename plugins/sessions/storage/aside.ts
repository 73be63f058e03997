/** Copies and reads a database in a worker thread: many megabytes would block the event loop. */
import { createRequire } from 'node:module'
import { CHECK_SQL, refuseVerdict } from './damage.ts'

/** Pages that the thread copies before it looks whether it is to end. */
const PAGES_AT_ONCE = 500

/**
 * What the thread runs; the program is one file, so it has its text from here. A copy is taken inside of one read transaction:
 * it is consistent, does not block writers, and does not restart when one writes.
 */
const SCRIPT = `
const { parentPort, workerData: { library, source, file, stop, checks, pages } } = require('node:worker_threads')
const Driver = require(library)
const isStopped = () => Atomics.load(stop, 0) === 1
async function copy() {
  const connection = new Driver(source, { fileMustExist: true })
  try {
    connection.exec('BEGIN')
    connection.prepare('SELECT 1 FROM sqlite_master').get()
    await connection.backup(file, { progress: () => { if (isStopped()) throw new Error('stopped'); return pages } })
    connection.exec('ROLLBACK')
  } finally {
    connection.close()
  }
}
function check() {
  const connection = new Driver(file, { fileMustExist: true })
  try {
    for (const { sql } of connection.prepare(checks).all()) {
      const verdict = isStopped() ? 'stopped' : String(connection.prepare(sql).pluck().get())
      if (verdict !== 'ok') return { verdict }
    }
    return { verdict: 'ok' }
  } finally {
    connection.close()
  }
}
async function run() {
  if (source !== undefined) await copy()
  return check()
}
run()
  .catch((error) => ({ verdict: error.message, code: error.code }))
  .then((answer) => parentPort.postMessage(isStopped() ? { isStopped: true } : answer))`

interface Answer {
  readonly verdict?: string
  readonly code?: string
  readonly isStopped?: true
}

/** Cancellable work in a worker thread. */
export interface AsideWork {
  /** False when it was stopped. Rejects as `refuseDamage` throws. */
  readonly isDone: Promise<boolean>
  stop(): void
}

/** Copies `source` to `file` while others write, and checks the copy. */
export function copyAside(source: string, file: string): AsideWork {
  return begin({ source, file })
}

/** Contract: `refuseDamage`, for a file that no other process has open. */
export async function refuseDamageAside(file: string): Promise<void> {
  await begin({ file }).isDone
}

function begin(files: { readonly source?: string; readonly file: string }): AsideWork {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const library = createRequire(import.meta.url).resolve('better-sqlite3')
  // Loaded here: a run without a backup or a check starts no thread.
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const worker = new Worker(SCRIPT, {
    eval: true,
    workerData: { ...files, library, stop, checks: CHECK_SQL, pages: PAGES_AT_ONCE },
  })
  const answer = new Promise<Answer>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that was to read it has ended')))
  })
  return { isDone: answer.then(judge), stop: () => void Atomics.store(stop, 0, 1) }
}

function judge({ verdict = '', code, isStopped }: Answer): boolean {
  if (isStopped) return false
  if (code !== undefined) throw Object.assign(new Error(verdict), { code })
  refuseVerdict(verdict)
  return true
}
