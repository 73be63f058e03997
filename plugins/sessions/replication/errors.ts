import type { ErrorMessages } from 'svc/sdk'

export default {
  SCOPE_HELD:
    'Another process, perhaps on another machine, writes in this conversation or uses this account. Wait for its end; when it has died, that takes `replication.lease_seconds`.',
  SCOPE_UNGUARDED:
    'storage.url is set and the plugin "replication" does not run. Enable it, or remove storage.url: without it, two machines would do the same work.',
} satisfies ErrorMessages
