/** Which stored keys and sign-ins are in use, for `svc status`. */
import type { StatusLine } from 'svc/sdk/operations'
import type { CredentialInfo, Credentials } from 'svc/sdk/provider'

/** A line for each provider. */
export async function readKeysStatus(credentials: Pick<Credentials, 'list'>): Promise<readonly StatusLine[]> {
  const keys = await credentials.list()
  const providers = [...new Set(keys.map(({ provider }) => provider))]
  return providers.map((provider) =>
    describeKeys(
      provider,
      keys.filter((key) => key.provider === provider),
    ),
  )
}

function describeKeys(provider: string, keys: readonly CredentialInfo[]): StatusLine {
  const count = (status: CredentialInfo['status']) => keys.filter((key) => key.status === status).length
  const [dead, resting] = [count('dead'), count('exhausted')]
  const parts = [`${keys.length} stored`, dead > 0 && `${dead} disabled`, resting > 0 && `${resting} cooling down`]
  const line = { label: provider, text: parts.filter(Boolean).join(', ') }
  if (dead === keys.length) return { ...line, state: 'problem', fix: `svc auth add ${provider}` }
  if (dead + resting > 0) return { ...line, state: 'warning', fix: `svc auth status ${provider}` }
  return { ...line, state: 'ok' }
}
