import type { ErrorMessages } from 'svc/sdk'

export default {
  BUDGET_EXCEEDED:
    'A cap of the block `budget` is used up. The message names it; raise it, wait for the next day or month, or start a new session.',
  BUDGET_NAME: 'A budget of a plugin has a name of up to 100 letters, digits and `._:@-`. Use another one.',
  BUDGET_LEDGER_LOST:
    'The record of what was spent was removed or emptied. Look at what your providers charged, then run `svc budget confirm`.',
  USAGE_UNKNOWN_COLUMN: 'Spending can be shown by day, provider, model, session or purpose.',
} satisfies ErrorMessages
