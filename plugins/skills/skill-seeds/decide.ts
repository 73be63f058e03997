/** What happens to one skill, as a table. Hashes are those of `hashFolder`. */

/** What is known of a skill. */
export interface SeedState {
  /** Of the folder in the home; undefined when there is none. */
  readonly local: string | undefined
  /** As it was when it was copied; undefined for a skill that was not copied, empty where an earlier version did not record it. */
  readonly origin: string | undefined
  /** Of the skill in the program; undefined when the program no longer has it. */
  readonly upstream: string | undefined
}

/**
 * `copy`, `update`: the folder becomes that of the program. `record`: the folder is that of the program already, only its hash is
 * recorded. `current`: nothing to do. `keep`: a folder that was not copied and differs. `modified`: the user changed the copy.
 * `deleted`: the user removed the copy. `drop`: the program has no such skill any more, its line is removed and the folder stays.
 */
export type SeedAction = 'copy' | 'record' | 'current' | 'keep' | 'update' | 'modified' | 'deleted' | 'drop' | 'none'

/** What a sync does. */
export function decideSync({ local, origin, upstream }: SeedState): SeedAction {
  if (upstream === undefined) return origin === undefined ? 'none' : 'drop'
  if (origin === undefined) {
    if (local === undefined) return 'copy'
    return local === upstream ? 'record' : 'keep'
  }
  if (local === undefined) return 'deleted'
  if (local === upstream) return origin === upstream ? 'current' : 'record'
  return local === origin ? 'update' : 'modified'
}

/** Whether `opt-out --remove` deletes the folder: it was copied, and nothing in it was changed since. */
export function decideRemoval({ local, origin }: SeedState): boolean {
  return local !== undefined && origin !== undefined && local === origin
}
