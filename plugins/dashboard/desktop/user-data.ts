/** What the desktop keeps beside the home: the windows as they were, and its log. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { tryParseJson } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { z } from 'zod'
import type { WindowBounds } from './window/window.ts'

const bounds = z.object({
  left: z.number().int().optional(),
  top: z.number().int().optional(),
  width: z.number().int().min(320).max(20_000),
  height: z.number().int().min(240).max(20_000),
  isMaximized: z.boolean().optional(),
})
const stateSchema = z.object({
  /** By profile. */
  windows: z.record(z.string(), bounds).default({}),
  /** Where each backend listened last: a page keeps what it has stored only at the same address. */
  ports: z.record(z.string(), z.number().int().min(1).max(65_535)).default({}),
})
export type DesktopState = z.infer<typeof stateSchema>

export const FIRST_BOUNDS: WindowBounds = { width: 1200, height: 800 }

/** Damaged or missing: as at the first start. */
export async function readState(folder: string): Promise<DesktopState> {
  const text = await readFile(join(folder, 'state.json'), 'utf8').catch(() => '')
  const parsed = stateSchema.safeParse(tryParseJson(text)?.value)
  return parsed.success ? parsed.data : { windows: {}, ports: {} }
}

export async function writeState(folder: string, state: DesktopState): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeAtomically(join(folder, 'state.json'), JSON.stringify(state))
}

const MAX_LOG_BYTES = 10 * 2 ** 20

/** A file to which lines are added; a full one is kept once, under another name. */
export class LogFile {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  }

  add(line: string): void {
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
    if (size > MAX_LOG_BYTES) renameSync(this.#file, `${this.#file}.1`)
    appendFileSync(this.#file, `${line}\n`, { mode: 0o600 })
  }
}
