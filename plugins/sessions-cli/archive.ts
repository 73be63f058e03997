/** The complete export: a line of JSON for each session. */
import type { SessionArchive } from 'svc/sdk'
import { safeJson } from './text.ts'

/** What a line says of itself, so that other files are told apart. */
export const mark = { format: 'svc-session', version: 1 } as const

export function archiveLine(archive: SessionArchive): string {
  return `${safeJson({ ...mark, ...archive })}\n`
}
