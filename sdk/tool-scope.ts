/** Where a tool belongs, declared by the tool itself: no plugin keeps a list of other plugins' tools. */

/**
 * Where a tool belongs. What is left out is the careful choice: a model may have to search for the tool, scripts cannot
 * call it, and it is off where strangers write. A tool without any scope is treated like the other tools of its toolset
 * where that is stricter, and as `core` if they are.
 * @since 0.1
 */
export interface ToolScope {
  /** Nearly every task needs it: it is always offered to the model, even if other tools have to be searched for. */
  readonly core?: boolean
  /**
   * Scripts of the model may call it. A function returns for one call, with the input as the script wrote it, why they may
   * not; undefined when they may.
   */
  readonly scripts?: boolean | ((input: Readonly<Record<string, unknown>>) => string | undefined)
  /** Surfaces that go without it until the user names it in `tools.surfaces`: `api`, `cron`. */
  readonly notOn?: readonly string[]
  /** It may be used where strangers write what the model reads, such as webhooks: it can do no harm there. */
  readonly strangers?: boolean
  /**
   * Messages of machines may use it, as on a platform with `isEvents`; so they may what is fit for `strangers`. The user names
   * more in `tools.surfaces`.
   */
  readonly events?: boolean
  /** Off until the user names it in `tools.enabled`. */
  readonly optIn?: boolean
  /** Allowed while a plan is made although it is not `pure`: it changes nothing but the conversation. */
  readonly planning?: boolean
  /** Its newest result replaces the earlier ones, so compression keeps that one whole: the plan of a session. */
  readonly latest?: boolean
  /** It gives its results in pages: they are never kept in a file for being long. */
  readonly pages?: boolean
  /** It reads results that were kept in a file; the text tells the model how: `with offset and limit`. May be empty. */
  readonly opensKept?: string
}

type Check = (value: unknown) => boolean

const isFlag: Check = (value) => typeof value === 'boolean'

const CHECKS: Readonly<Record<keyof ToolScope, Check>> = {
  core: isFlag,
  scripts: (value) => isFlag(value) || typeof value === 'function',
  notOn: (value) => Array.isArray(value) && value.every((surface) => typeof surface === 'string'),
  strangers: isFlag,
  events: isFlag,
  optIn: isFlag,
  planning: isFlag,
  latest: isFlag,
  pages: isFlag,
  opensKept: (value) => typeof value === 'string',
}

/** What is wrong with a scope, as the end of a sentence; undefined when nothing is. Fields of later versions are ignored. */
export function scopeProblem(scope: unknown): string | undefined {
  if (scope === undefined) return undefined
  if (typeof scope !== 'object' || scope === null) return 'has a scope that is not an object'
  const bad = Object.entries(CHECKS).find(([name, check]) => {
    const value = (scope as Record<string, unknown>)[name]
    return value !== undefined && !check(value)
  })
  return bad && `has a scope whose ${bad[0]} is wrong`
}
