/** Reads sections concurrently, each with a time limit. */
import { type Clock, errorMessage, type Logger, logFault } from 'svc/sdk'
import { runEach } from 'svc/sdk/kit/async'
import type { StatusReport, StatusSection } from 'svc/sdk/operations'

type Section = Awaited<ReturnType<StatusReport['read']>>[number]

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
  { clock, signal, log, owner }: ReadDeps,
): Promise<readonly Section[]> {
  const read = await runEach<StatusSection, Section>(sections, {
    ...{ clock, signal, timeoutMs: LIMIT_MS },
    run: async (section, ends) => ({
      section: section.name,
      title: section.title,
      lines: await section.read(ends),
    }),
    failed({ name, title }, error) {
      logFault(log, `the status section ${name} failed`, error, owner(name))
      const text = `could not be read: ${errorMessage(error)}`
      const fix = 'svc logs --level warn --since 5m'
      return { section: name, title, lines: [{ label: title, text, state: 'problem', fix }] }
    },
  })
  signal.throwIfAborted()
  return read.filter(({ lines }) => lines.length > 0)
}
