/**
 * One file for each worker that was started on this machine, from before its start until its end was dealt with: a later dispatcher
 * finds by it what runs, and who must not run any more.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseWorkerReport, type WorkerReport } from 'svc/sdk/kanban'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import type { ProcessMark } from 'svc/sdk/kit/process'

/** A worker, by its claim. */
export interface WorkerRecord {
  readonly taskId: string
  readonly epoch: number
  readonly runId: number
  readonly profile: string
  /** In the environment of all that the worker starts. */
  readonly token: string
  readonly workspace: string
  /** Undefined: it was about to be started. */
  readonly mark?: ProcessMark
}

/** All paths are below one folder. */
export class WorkerRecords {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Where the worker of a claim leaves its report. */
  reportFile({ taskId, epoch }: Pick<WorkerRecord, 'taskId' | 'epoch'>): string {
    return join(this.#folder, `${taskId}.${epoch}.report.json`)
  }

  write(record: WorkerRecord): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeAtomicallySync(this.#file(record), JSON.stringify(record))
  }

  /** Undefined where the worker left none, or was killed while it wrote it. */
  readReport(claim: Pick<WorkerRecord, 'taskId' | 'epoch'>): WorkerReport | undefined {
    const text = readIfThere(this.reportFile(claim))
    return text === undefined ? undefined : parseWorkerReport(text)
  }

  find({ taskId, epoch }: Pick<WorkerRecord, 'taskId' | 'epoch'>): WorkerRecord | undefined {
    return parseRecord(readIfThere(this.#file({ taskId, epoch })))
  }

  list(): WorkerRecord[] {
    return listFiles(this.#folder)
      .filter((name) => RECORD.test(name))
      .flatMap((name) => parseRecord(readIfThere(join(this.#folder, name))) ?? [])
  }

  remove(claim: Pick<WorkerRecord, 'taskId' | 'epoch'>): void {
    for (const file of [this.reportFile(claim), this.#file(claim)]) rmSync(file, { force: true })
  }

  #file({ taskId, epoch }: Pick<WorkerRecord, 'taskId' | 'epoch'>): string {
    return join(this.#folder, `${taskId}.${epoch}.json`)
  }
}

const RECORD = /^t_[0-9a-f]+\.\d+\.json$/

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Records are written in one step, so what is no record was changed by another program. */
function parseRecord(text: string | undefined): WorkerRecord | undefined {
  if (text === undefined) return undefined
  try {
    const value = JSON.parse(text) as Partial<WorkerRecord> | null
    const isRecord =
      typeof value?.taskId === 'string' && Number.isInteger(value.epoch) && typeof value.token === 'string'
    return isRecord ? (value as WorkerRecord) : undefined
  } catch {
    return undefined
  }
}
