/** Names of profiles: they are names of folders on every file system, and words in a shell. */
import { SvcError } from 'svc/sdk'

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/
const RESERVED: readonly string[] = ['svc', 'default', 'test', 'tmp', 'root', 'sudo']
/** Windows gives these to devices, in every folder. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** The name in lower case. Throws `PROFILE_NAME` for what cannot be the name of a new profile. */
export function parseNewName(typed: string): string {
  const name = typed.toLowerCase()
  if (!NAME.test(name) || name.length !== typed.length)
    throw refuse(typed, 'Use 1 to 64 letters without accents, digits, - and _, and begin with a letter or a digit.')
  if (RESERVED.includes(name) || DEVICE.test(name)) throw refuse(typed, 'The name is reserved.')
  return name
}

/** Whether a folder of this name is a profile. Folders from earlier versions may have a dot in their name. */
export function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name) && name !== 'default'
}

function refuse(typed: string, why: string): SvcError {
  return new SvcError('PROFILE_NAME', `${JSON.stringify(typed)} cannot be the name of a profile. ${why}`, {
    status: 400,
  })
}
