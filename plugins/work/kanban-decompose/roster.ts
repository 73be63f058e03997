/** The profiles that tasks can be given to, and what each is for. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from 'svc/sdk'
import { parse } from 'yaml'

export interface Assignee {
  readonly name: string
  /** Empty: not described. */
  readonly description: string
}

export interface Roster {
  readonly assignees: readonly Assignee[]
  /** Judges what was taken apart. */
  readonly orchestrator: string
  /** Gets what no other is known for. */
  readonly fallback: string
  /** The profile of this name; otherwise the one that gets such tasks. */
  choose(name: string | undefined): string
}

const DEFAULT = 'default'
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/
const MAX_BYTES = 65_536
const MAX_DESCRIPTION = 500

export interface RosterSettings {
  readonly orchestrator_profile: string
  readonly default_assignee: string
}

export function readRoster({ root }: Pick<Home, 'root'>, settings: RosterSettings): Roster {
  const folder = join(root, 'profiles')
  const others = listFolders(folder).map((name) => ({ name, description: readDescription(join(folder, name)) }))
  const assignees = [{ name: DEFAULT, description: readDescription(root) }, ...others]
  const find = (name: string | undefined, otherwise: string) => {
    const wanted = name?.trim().toLowerCase()
    return assignees.find((each) => each.name === wanted)?.name ?? otherwise
  }
  const fallback = find(settings.default_assignee, DEFAULT)
  return {
    ...{ assignees, fallback },
    orchestrator: find(settings.orchestrator_profile, DEFAULT),
    choose: (name) => find(name, fallback),
  }
}

function listFolders(folder: string): readonly string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory() && NAME.test(entry.name) && entry.name !== DEFAULT)
  return names.map(({ name }) => name).sort()
}

/** Of `profile.yaml`. A file that cannot be read counts as empty. */
function readDescription(dir: string): string {
  try {
    const descriptor = openSync(join(dir, 'profile.yaml'), 'r')
    try {
      const bytes = Buffer.alloc(MAX_BYTES)
      const text = bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, MAX_BYTES, 0))
      const value = (parse(text, { maxAliasCount: 0 }) as { readonly description?: unknown } | null)?.description
      return typeof value === 'string' ? value.trim().slice(0, MAX_DESCRIPTION) : ''
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Counts as empty, as the function says.
    return ''
  }
}
