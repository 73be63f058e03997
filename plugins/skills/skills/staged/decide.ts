/** Makes or drops changes that wait. What is made is what was shown: a change that would differ by now is shown again first. */
import { existsSync } from 'node:fs'
import { SvcError } from 'svc/sdk'
import { type ManageDeps, manageAs } from '../manage.ts'
import type { Change, Writer } from '../writer.ts'
import type { StagedWrite } from './store.ts'

export interface Decided {
  readonly id: string
  readonly skill: string
  /** What was done, as a sentence. */
  readonly done: string
}

/** Throws `SKILL_NOT_FOUND`, `SKILL_REFUSED`, and what the change itself throws; it waits on then. */
export function approveWrite(deps: ManageDeps, id: string, signal: AbortSignal): Promise<Decided> {
  return deps.staged.exclusively(async () => {
    const write = await deps.staged.find(id)
    const done = isMade(deps, id) ? 'It was made before.' : await make(deps, write, signal)
    await deps.staged.remove(id)
    return { id, skill: write.input.name, done }
  })
}

/** Throws `SKILL_NOT_FOUND`. */
export function rejectWrite({ staged }: Pick<ManageDeps, 'staged'>, id: string): Promise<Decided> {
  return staged.exclusively(async () => {
    const { input } = await staged.find(id)
    await staged.remove(id)
    return { id, skill: input.name, done: 'Nothing was changed.' }
  })
}

/** A crash came after the change and before the file was removed. */
function isMade({ edits }: ManageDeps, id: string): boolean {
  const book = edits.get()
  return (
    book.edits.some(({ stagedId }) => stagedId === id) ||
    book.created.some(({ stagedId, folder }) => stagedId === id && existsSync(folder))
  )
}

function make(deps: ManageDeps, write: StagedWrite, signal: AbortSignal): Promise<string> {
  const writer: Writer = {
    sessionId: write.sessionId,
    signal,
    stagedId: write.id,
    origins: () => write.origins,
    async agree({ what, diff, findings }: Change) {
      const isSame =
        listChanges(diff) === listChanges(write.diff) && JSON.stringify(findings) === JSON.stringify(write.findings)
      if (isSame) return undefined
      await deps.staged.save({ ...write, what, diff, findings: [...findings] })
      throw new SvcError(
        'SKILL_REFUSED',
        `Not done: the skill or what the scan finds has changed since. Look at the change once more: svc skills pending ${write.id}`,
      )
    },
  }
  return manageAs(deps, write.input, writer)
}

/** Without the lines around them, which another change may have moved. */
function listChanges(diff: string): string {
  return diff
    .split('\n')
    .filter((line) => /^[+-]/.test(line))
    .join('\n')
}
