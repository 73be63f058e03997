/**
 * Access keys of AWS, for those who have no API key of Bedrock: from variables, or from the profile that `AWS_PROFILE`
 * names in the shared credentials file (https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html).
 */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { errorMessage, type PluginContext, Secrets } from 'svc/sdk'

/** An access key, as requests are signed with it. */
export interface AccessKeys {
  readonly id: string
  readonly secret: string
  /** Of temporary keys. */
  readonly sessionToken?: string
  /** Where they were found, for people. */
  readonly source: string
}

type Deps = Pick<PluginContext<unknown>, 'use'>

/** The keys, or a sentence that says why they are missing; undefined if they are not configured. */
export function findAccessKeys(deps: Deps): AccessKeys | { readonly problem: string } | undefined {
  const secrets = deps.use(Secrets)
  const id = secrets.get('AWS_ACCESS_KEY_ID')
  const profile = secrets.get('AWS_PROFILE')
  if (id === undefined && profile === undefined) return undefined
  const found =
    id === undefined
      ? fromProfile(profile ?? '', secrets.get('AWS_SHARED_CREDENTIALS_FILE'))
      : readAccessKeys(id, secrets.get('AWS_SECRET_ACCESS_KEY'), secrets.get('AWS_SESSION_TOKEN'), 'AWS_ACCESS_KEY_ID')
  if ('problem' in found) return found
  secrets.protect(found.secret)
  if (found.sessionToken !== undefined) secrets.protect(found.sessionToken)
  return found
}

function readAccessKeys(
  id: string,
  secret: string | undefined,
  token: string | undefined,
  source: string,
): AccessKeys | { readonly problem: string } {
  if (secret === undefined || secret === '') return { problem: `${source} has no secret access key` }
  return { id, secret, source, ...(token ? { sessionToken: token } : {}) }
}

function fromProfile(
  profile: string,
  file = join(homedir(), '.aws', 'credentials'),
): ReturnType<typeof readAccessKeys> {
  try {
    const values = parseProfile(readFileSync(file, 'utf8'), profile)
    const id = values?.get('aws_access_key_id')
    if (!values || !id) return { problem: `AWS_PROFILE is "${profile}", which has no aws_access_key_id in ${file}` }
    return readAccessKeys(
      id,
      values.get('aws_secret_access_key'),
      values.get('aws_session_token'),
      `the profile ${profile}`,
    )
  } catch (error) {
    return { problem: `AWS_PROFILE is "${profile}", but its file cannot be read: ${errorMessage(error)}` }
  }
}

/** Sections in brackets, `name = value`, comments with `#` or `;`. */
function parseProfile(text: string, profile: string): ReadonlyMap<string, string> | undefined {
  let values: Map<string, string> | undefined
  let isWanted = false
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1]
    if (section !== undefined) isWanted = section === profile
    const [, name, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/i.exec(line) ?? []
    if (isWanted && name !== undefined && value !== undefined)
      values = (values ?? new Map()).set(name.toLowerCase(), value)
  }
  return values
}
