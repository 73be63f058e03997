import type { ErrorMessages } from 'svc/sdk'

export default {
  SCOPE_HELD:
    'Another process, perhaps on another machine, writes in this conversation or uses this account. Wait for its end; when it has died, that takes `replication.lease_seconds`.',
} satisfies ErrorMessages
