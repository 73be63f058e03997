/** The profiles that tasks can be given to. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from 'svc/sdk'

export interface ProfileList {
  has(name: string): boolean
  /** Gets tasks without an assignee. */
  readonly fallback: string
}

const DEFAULT = 'default'
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** `fallback`: as the configuration says; a profile that is not there counts as the default one. */
export function listProfiles({ root }: Pick<Home, 'root'>, fallback: unknown): ProfileList {
  const has = (name: string) => {
    if (name === DEFAULT) return true
    return (
      NAME.test(name) && (statSync(join(root, 'profiles', name), { throwIfNoEntry: false })?.isDirectory() ?? false)
    )
  }
  return { has, fallback: typeof fallback === 'string' && has(fallback) ? fallback : DEFAULT }
}
