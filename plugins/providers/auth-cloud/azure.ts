/** Microsoft Entra: an application, a workload, the machine itself, or the sign-in of `az` (https://learn.microsoft.com/azure/developer/javascript/sdk/authentication). */
import {
  AzureCliCredential,
  ClientSecretCredential,
  DefaultAzureCredential,
  ManagedIdentityCredential,
  type TokenCredential,
  WorkloadIdentityCredential,
} from '@azure/identity'

/** An application with a secret. */
export interface Application {
  readonly tenant: string
  readonly client: string
  readonly secret: string
}

/** Who this machine is. The vendor's package reads the rest from the environment. */
export type AzureIdentity =
  | ({ readonly is: 'application' } & Application)
  | { readonly is: 'workload' | 'managed' | 'cli' | 'unknown' }

/** A cloud that does not answer at once will not answer soon. */
const RETRIES = { retryOptions: { maxRetries: 1 } }

const credentials: Map<string, TokenCredential> = new Map()

/** Rejects with what Azure's library says. */
export async function getAzureToken(
  scope: string,
  identity: AzureIdentity,
  signal: AbortSignal,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const key = JSON.stringify(identity)
  const credential = credentials.get(key) ?? createCredential(identity)
  credentials.set(key, credential)
  const found = await credential.getToken(scope, { abortSignal: signal })
  if (!found) throw new Error('Azure gave no token')
  return { token: found.token, expiresAt: found.expiresOnTimestamp }
}

function createCredential(identity: AzureIdentity): TokenCredential {
  switch (identity.is) {
    case 'application':
      return new ClientSecretCredential(identity.tenant, identity.client, identity.secret, RETRIES)
    case 'workload':
      return new WorkloadIdentityCredential(RETRIES)
    case 'managed':
      return new ManagedIdentityCredential(RETRIES)
    case 'cli':
      return new AzureCliCredential()
    case 'unknown':
      return new DefaultAzureCredential(RETRIES)
  }
}
