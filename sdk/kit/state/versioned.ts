/** The stored form of a value with a schema: `{ "version": 1, "value": … }`. */
import { errorMessage, SvcError } from '../../errors.ts'
import { formatIssuePath } from '../../schema.ts'
import type { StateSchema } from '../../state.ts'

/** Stored content that is not a value of this schema in any version. */
export class UnusableContent extends Error {}

/** Throws `STATE_INVALID` for a version that is not a whole number from 1 on, or an initial value that does not fit. */
export function checkSchema<T>(what: string, options: StateSchema<T>): void {
  const { version = 1, initial } = options
  if (!Number.isInteger(version) || version < 1)
    throw new SvcError('STATE_INVALID', `The version of ${what} is ${version}; it must be a whole number from 1 on.`)
  toStored(what, options, initial)
}

/**
 * The value of stored content. Throws `UnusableContent`, `STATE_TOO_NEW` where a later version wrote it, and `STATE_INVALID`
 * where it cannot be migrated.
 */
export function fromStored<T>(what: string, options: StateSchema<T>, stored: unknown): T {
  const { version = 1, migrate } = options
  const { version: found, value } = (stored ?? {}) as { version?: unknown; value?: unknown }
  if (!Number.isInteger(found) || (found as number) < 1 || value === undefined)
    throw new UnusableContent('it is not of the form { "version": 1, "value": ... }')
  const earlier = found as number
  if (earlier > version)
    throw new SvcError(
      'STATE_TOO_NEW',
      `${what} was written by a later version of the plugin (schema ${earlier}, this one knows ${version}). It was not changed. Install that version again.`,
    )
  if (earlier === version || !migrate) return freeze(check(options, value))
  try {
    return freeze(check(options, migrate(value, earlier)))
  } catch (error) {
    throw new SvcError(
      'STATE_INVALID',
      `${what} could not be migrated from schema ${earlier} to ${version}: ${errorMessage(error)}. It was not changed.`,
      { cause: error },
    )
  }
}

/** What is to be stored, and the value as it is read back. Throws `STATE_INVALID`. */
export function toStored<T>(what: string, options: StateSchema<T>, value: unknown): { stored: object; value: T } {
  try {
    // What cannot be read back must not be written.
    const plain = JSON.parse(toJson(value))
    return { stored: { version: options.version ?? 1, value: plain }, value: freeze(check(options, plain)) }
  } catch (error) {
    throw new SvcError('STATE_INVALID', `${what} cannot be stored: ${errorMessage(error)}.`, { cause: error })
  }
}

function toJson(value: unknown): string {
  if (typeof (value as { then?: unknown } | undefined)?.then === 'function')
    throw new UnusableContent('it is a promise; a change must be synchronous')
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new UnusableContent('it is not plain data')
  return text
}

function check<T>({ schema }: StateSchema<T>, value: unknown): T {
  if (schema === undefined) return value as T
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) {
    result.catch(() => {})
    throw new UnusableContent('its schema is asynchronous')
  }
  if (!result.issues) return result.value
  const [issue] = result.issues
  const path = issue ? formatIssuePath(issue) : ''
  throw new UnusableContent(`${path === '' ? 'it' : path} does not fit the schema: ${issue?.message ?? 'no reason'}`)
}

/** What several readers share is not changed by one of them. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain) return value
  for (const each of Object.values(value)) freeze(each)
  return Object.freeze(value)
}
