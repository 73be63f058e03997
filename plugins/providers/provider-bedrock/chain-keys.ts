/** Keys of the chain of AWS, kept until they end and asked for once at a time. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Clock, errorMessage, logFault, type PluginContext, Secrets } from 'svc/sdk'
import type { AccessKeys } from './access-keys.ts'
import type { ChainKeys } from './chain.ts'

/** What of the plugin's context the chain needs. */
export type Deps = Pick<PluginContext<unknown>, 'use' | 'log'>

/** Keys that end during the call are no use. */
const SKEW_MS = 120_000

/** Variables that AWS sets where the chain finds something. */
const VARIABLES = [
  ...['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'],
  ...['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_EC2_METADATA_SERVICE_ENDPOINT'],
]

/** Why the chain is worth asking, for people; undefined: nothing here is of AWS. Quick, and asks no one. */
export function findChainSource(deps: Pick<Deps, 'use'>): string | undefined {
  const secrets = deps.use(Secrets)
  // An access key that has no secret is a mistake to be told.
  if (secrets.get('AWS_ACCESS_KEY_ID') !== undefined) return undefined
  const folder = join(secrets.get('HOME') ?? homedir(), '.aws')
  const files = [
    secrets.get('AWS_SHARED_CREDENTIALS_FILE') ?? join(folder, 'credentials'),
    secrets.get('AWS_CONFIG_FILE') ?? join(folder, 'config'),
  ]
  const profile = secrets.get('AWS_PROFILE')
  if (profile !== undefined)
    return files.some((file) => hasProfile(file, profile)) ? `the profile ${profile}` : undefined
  const name = VARIABLES.find((each) => secrets.get(each) !== undefined)
  if (name !== undefined) return name
  return files.find((file) => existsSync(file)) ?? (isInstance() ? 'the role of this instance' : undefined)
}

/** `[name]`, or `[profile name]` in the file `config`. */
function hasProfile(file: string, profile: string): boolean {
  try {
    const sections = readFileSync(file, 'utf8').matchAll(/^\s*\[\s*(?:profile\s+)?(.*?)\s*\]/gm)
    return [...sections].some(([, name]) => name === profile)
  } catch {
    return false
  }
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/identify_ec2_instances.html */
function isInstance(): boolean {
  try {
    return readFileSync('/sys/class/dmi/id/sys_vendor', 'utf8').startsWith('Amazon')
  } catch {
    return false
  }
}

/** The keys of one process. */
export class ChainCache {
  #kept: { readonly of: string; readonly keys: ChainKeys } | undefined
  #asked: Promise<ChainKeys> | undefined

  /** The keys, or a sentence that says why there are none. */
  async take(deps: Deps, source: string, region: string): Promise<AccessKeys | { readonly problem: string }> {
    const secrets = deps.use(Secrets)
    const [profile, filepath] = [secrets.get('AWS_PROFILE'), secrets.get('AWS_SHARED_CREDENTIALS_FILE')]
    const of = JSON.stringify([profile, filepath, region])
    try {
      const { expiresAt: _, ...keys } =
        this.#good(of, deps.use(Clock).now()) ?? (await this.#ask(of, { profile, filepath, region }))
      secrets.protect(keys.secret)
      if (keys.sessionToken !== undefined) secrets.protect(keys.sessionToken)
      return { ...keys, source }
    } catch (error) {
      const [why = ''] = secrets.mask(errorMessage(error)).split('\n')
      const problem = `AWS gave no keys (${source}): ${why.slice(0, 300)}`
      // Errors of the package may hold the request: its words alone are kept.
      logFault(deps.log, 'the chain of AWS gave no keys', new Error(problem))
      return { problem: `${problem}. With IAM Identity Center: \`aws sso login\`` }
    }
  }

  #good(of: string, now: number): ChainKeys | undefined {
    const { keys } = this.#kept?.of === of ? this.#kept : {}
    return keys && (keys.expiresAt === undefined || keys.expiresAt - SKEW_MS > now) ? keys : undefined
  }

  #ask(
    of: string,
    options: { readonly profile: string | undefined; readonly filepath: string | undefined; readonly region: string },
  ): Promise<ChainKeys> {
    this.#asked ??= (async () => {
      try {
        const { askChain } = await import('./chain.ts')
        const { profile, filepath, region } = options
        const keys = await askChain({
          region,
          ...(profile === undefined ? {} : { profile }),
          ...(filepath === undefined ? {} : { filepath }),
        })
        this.#kept = { of, keys }
        return keys
      } finally {
        this.#asked = undefined
      }
    })()
    return this.#asked
  }
}
