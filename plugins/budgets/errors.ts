import type { ErrorCatalog } from 'svc/sdk'

export default {
  BUDGET_EXCEEDED:
    'A cap of the block `budget` is used up. The message names it; raise it, wait for the next day or month, or start a new session.',
  USAGE_UNKNOWN_COLUMN: 'Spending can be shown by day, provider, model, session or purpose.',
} satisfies ErrorCatalog
