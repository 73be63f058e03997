/** Names of owners, queues and channels. */
import { SvcError } from 'svc/sdk'

/** Throws `STORAGE_NAME_INVALID`. `what` is what has the name. */
export function refuseName(what: string, name: string): void {
  if (/^[a-z][a-z0-9-]{0,39}$/.test(name)) return
  throw new SvcError(
    'STORAGE_NAME_INVALID',
    `"${name}" is no name of ${what}: use lower-case letters, digits and hyphens, 40 at most, and begin with a letter.`,
  )
}

/** Throws `STORAGE_NAME_INVALID` for a text that is empty or longer than 200 characters. */
export function refuseLong(what: string, text: string): void {
  if (text.length > 0 && text.length <= 200) return
  throw new SvcError('STORAGE_NAME_INVALID', `${what} has ${text.length} characters; it must have 1 to 200.`)
}
