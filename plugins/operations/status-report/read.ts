/** Reads sections concurrently, each with a time limit. */
import { type Clock, errorMessage, type Logger, logFault } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import type { StatusLine, StatusReport, StatusSection } from 'svc/sdk/operations'

const LIMIT_MS = 5000

export interface ReadDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly log: Logger
  /** The plugin that a section comes from. */
  readonly owner: (section: string) => string | undefined
}

/** Rejects only when the signal aborts. */
export async function readSections(
  sections: readonly StatusSection[],
  deps: ReadDeps,
): ReturnType<StatusReport['read']> {
  const read = await Promise.all(
    sections.map(async (section) => ({
      section: section.name,
      title: section.title,
      lines: await readSection(section, deps),
    })),
  )
  deps.signal.throwIfAborted()
  return read.filter(({ lines }) => lines.length > 0)
}

async function readSection(
  section: StatusSection,
  { clock, signal: outer, log, owner }: ReadDeps,
): Promise<readonly StatusLine[]> {
  const late = () => new Error(`it took longer than ${LIMIT_MS / 1000} s`)
  try {
    return await withDeadline(clock, LIMIT_MS, (signal) => section.read(signal), late, { signal: outer })
  } catch (error) {
    logFault(log, `the status section ${section.name} failed`, error, owner(section.name))
    const text = `could not be read: ${errorMessage(error)}`
    return [{ label: section.title, text, state: 'problem', fix: 'svc logs --level warn --since 5m' }]
  }
}
