/**
 * The chain of credentials of AWS: profiles with roles, IAM Identity Center (SSO) and processes, web identities, containers and instances
 * (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html), by the vendor's package.
 */
import { fromNodeProviderChain } from '@aws-sdk/credential-providers'

/** Temporary keys, with their end in milliseconds since 1970. */
export interface ChainKeys {
  readonly id: string
  readonly secret: string
  readonly sessionToken?: string
  readonly expiresAt?: number
}

/** What of the chain is also read from `.env`; the package reads the rest from the environment. */
export interface ChainOptions {
  readonly profile?: string
  readonly filepath?: string
  readonly region: string
}

const TIMEOUT_MS = 2000

/** Rejects with what AWS's package says. */
export async function askChain({ profile, filepath, region }: ChainOptions): Promise<ChainKeys> {
  const provider = fromNodeProviderChain({
    clientConfig: { region },
    timeout: TIMEOUT_MS,
    maxRetries: 1,
    ...(profile === undefined ? {} : { profile }),
    ...(filepath === undefined ? {} : { filepath }),
  })
  const { accessKeyId: id, secretAccessKey: secret, sessionToken, expiration } = await provider()
  return {
    id,
    secret,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    ...(expiration === undefined ? {} : { expiresAt: expiration.getTime() }),
  }
}
