import type { ErrorMessages } from 'svc/sdk'

export default {
  CACHE_SERVER_UNKNOWN: 'The address in caches.url is of a kind that svc does not know. Use redis:// or postgresql://.',
  CACHE_ADAPTER_MISSING:
    'The package that talks to the cache server is not installed. The message says how to install it.',
} satisfies ErrorMessages
