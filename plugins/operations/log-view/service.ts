/** The service `Logs`. */
import { statSync } from 'node:fs'
import { type Clock, SvcError } from 'svc/sdk'
import type { LogFile, Logs } from 'svc/sdk/operations'
import { createParser, createTest } from './entries.ts'
import { followLines } from './follow.ts'
import { listParts, readNewest } from './read.ts'

export interface LogsDeps {
  readonly files: () => readonly LogFile[]
  readonly clock: () => Clock
}

export function createLogs({ files, clock }: LogsDeps): Logs {
  const find = (name = 'svc') => {
    const all = files()
    const found = all.find((file) => file.name === name)
    if (found) return found
    const known = all.map((file) => file.name).join(', ')
    throw new SvcError('LOG_FILE_UNKNOWN', `There is no log "${name}". The logs are: ${known}.`, { status: 404 })
  }
  return {
    files: () => files().map((file) => ({ ...file, ...measure(file.path) })),
    read: async (filter, limit) => readNewest(find(filter.file), filter, limit),
    follow(filter, signal) {
      const { name, path } = find(filter.file)
      const lines = followLines(path, clock(), signal)
      return followEntries(createParser(name), createTest(filter), lines)
    },
  }
}

async function* followEntries(
  parse: ReturnType<typeof createParser>,
  passes: ReturnType<typeof createTest>,
  lines: AsyncIterable<string>,
) {
  for await (const line of lines) {
    if (line === '') continue
    const entry = parse(line)
    if (passes(entry)) yield entry
  }
}

function measure(path: string): { readonly size: number; readonly modifiedAt?: number } {
  const parts = listParts(path).flatMap((part) => statSync(part, { throwIfNoEntry: false }) ?? [])
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  const modifiedAt = parts[0]?.mtimeMs
  return { size, ...(modifiedAt !== undefined && { modifiedAt }) }
}
