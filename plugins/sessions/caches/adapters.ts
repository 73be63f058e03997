/** Adapters of keyv for servers that `caches.url` names. */
import { createRequire } from 'node:module'
import { errorMessage, SvcError } from 'svc/sdk'

/** Adapters are packages that the user installs: most people need none of them. */
const ADAPTERS: Readonly<Record<string, string>> = {
  redis: '@keyv/redis',
  rediss: '@keyv/redis',
  valkey: '@keyv/valkey',
  postgres: '@keyv/postgres',
  postgresql: '@keyv/postgres',
}
/** Throws `CACHE_SERVER_UNKNOWN` and `CACHE_ADAPTER_MISSING`. */
export function createAdapter(url: string): object {
  const scheme = /^([a-z]+):\/\//i.exec(url)?.[1]?.toLowerCase() ?? ''
  const adapter = ADAPTERS[scheme]
  const known = Object.keys(ADAPTERS).join(', ')
  if (!adapter) throw new SvcError('CACHE_SERVER_UNKNOWN', `caches.url begins with "${scheme}". Known are: ${known}.`)
  const Adapter = loadAdapter(adapter).default
  return new Adapter(url)
}

/** Beside svc, where `npm install -g` puts it, too. */
function loadAdapter(name: string): { readonly default: new (url: string) => object } {
  try {
    return createRequire(import.meta.url)(name)
  } catch (error) {
    throw new SvcError(
      'CACHE_ADAPTER_MISSING',
      `Install the adapter with \`npm install -g ${name}\`: ${errorMessage(error)}`,
    )
  }
}
