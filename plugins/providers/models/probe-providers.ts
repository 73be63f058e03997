/** Asks providers whether they could be used, all at once. */
import { type Clock, errorMessage } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import type { ModelProvider } from 'svc/sdk/provider'

/** A slow provider must not hold up the first answer. */
const LIMIT_MS = 1000

/** It may be slow for good reasons: that is no fault. */
class Silent extends Error {}

/** A provider and what it said of itself. */
export interface ProviderStatus {
  readonly provider: ModelProvider
  readonly ready: boolean
  readonly local: boolean
  readonly detail: string
}

/** In the order of the providers. One that fails or says nothing in time is not ready. */
export async function askAll(
  providers: readonly ModelProvider[],
  clock: Clock,
  onFault: (provider: string, error: unknown) => void,
): Promise<readonly ProviderStatus[]> {
  const late = () => new Silent('it does not say')
  return Promise.all(
    providers.map(async (provider) => {
      try {
        const asked = withDeadline(clock, LIMIT_MS, async (signal) => provider.status(signal), late, {
          background: true,
        })
        const { ready, local = false, detail } = await asked
        return { provider, ready, local, detail }
      } catch (error) {
        if (!(error instanceof Silent)) onFault(provider.name, error)
        return { provider, ready: false, local: false, detail: errorMessage(error) }
      }
    }),
  )
}
