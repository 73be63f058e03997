/** Reads all of a database in a thread of its own: a check of many megabytes would keep the program waiting. */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { CHECKED, checkOf, refuseVerdict, tablesOf } from './damage.ts'
import { connect } from './driver.ts'

/** The library as the thread finds it, and what to ask it: the program is one file, so the thread has its text from here. */
const SCRIPT = `
const { parentPort, workerData: { library, file, checks } } = require('node:worker_threads')
const connection = new (require(library))(file, { fileMustExist: true })
try {
  for (const check of checks) {
    const verdict = String(connection.pragma(check, { simple: true }))
    if (verdict !== 'ok') { parentPort.postMessage({ verdict }); break }
  }
} catch (error) {
  parentPort.postMessage({ verdict: error.message, code: error.code })
} finally {
  connection.close()
}`

/** Contract: `refuseDamage`, for a file that nobody else has open. */
export async function refuseDamageAside(file: string): Promise<void> {
  const worker = new Worker(SCRIPT, { eval: true, workerData: { ...libraryFor(), file, checks: checksOf(file) } })
  await new Promise<void>((resolve, reject) => {
    worker.once('message', ({ verdict, code }: { verdict: string; code?: string }) => {
      if (code !== undefined) reject(Object.assign(new Error(verdict), { code }))
      else
        try {
          refuseVerdict(verdict)
        } catch (error) {
          reject(error)
        }
    })
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
}

function libraryFor(): { readonly library: string } {
  return { library: createRequire(import.meta.url).resolve('better-sqlite3') }
}

function checksOf(file: string): readonly string[] {
  const connection = connect(file)
  try {
    return tablesOf(connection, CHECKED).map(checkOf)
  } finally {
    connection.close()
  }
}
