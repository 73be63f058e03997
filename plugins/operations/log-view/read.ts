/** The newest entries of a log file, from older parts of it if need be. */
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { LogEntry, LogFilter } from 'svc/sdk/operations'
import { createParser, createTest } from './entries.ts'

/** Parts of a log, the newest first. */
export function listParts(path: string): string[] {
  const name = basename(path)
  const found = existsSync(dirname(path)) ? readdirSync(dirname(path)) : []
  const numbers = found
    .filter((file) => file.startsWith(`${name}.`))
    .map((file) => Number(file.slice(name.length + 1)))
    .filter((number) => Number.isInteger(number) && number > 0)
    .sort((one, two) => one - two)
  return [...(found.includes(name) ? [path] : []), ...numbers.map((number) => `${path}.${number}`)]
}

export async function readNewest(
  { name, path }: { readonly name: string; readonly path: string },
  filter: LogFilter,
  limit: number,
): Promise<readonly LogEntry[]> {
  let entries: LogEntry[] = []
  for (const part of listParts(path)) {
    if (entries.length >= limit || isOlder(part, filter.since)) break
    entries = [...(await readPart(name, part, filter, limit - entries.length)), ...entries]
  }
  return entries
}

/** A part that was written last before that has no entry since then. */
function isOlder(part: string, since: number | undefined): boolean {
  return since !== undefined && (statSync(part, { throwIfNoEntry: false })?.mtimeMs ?? 0) < since
}

async function readPart(name: string, part: string, filter: LogFilter, limit: number): Promise<LogEntry[]> {
  const parse = createParser(name)
  const passes = createTest(filter)
  const found: LogEntry[] = []
  for await (const line of createInterface({ input: createReadStream(part, 'utf8'), crlfDelay: Infinity })) {
    if (line === '') continue
    const entry = parse(line)
    if (!passes(entry)) continue
    found.push(entry)
    // The array is shortened now and then, not for each entry.
    if (found.length >= limit * 2 + 1000) found.splice(0, found.length - limit)
  }
  return limit === 0 ? [] : found.slice(-limit)
}
