/** What errors of the Messages API mean beside their status (https://docs.anthropic.com/en/api/errors). */
import type { ErrorRule } from 'svc/sdk/provider'

export const errorRules: readonly ErrorRule[] = [
  { code: /^authentication_error$/, kind: 'auth' },
  { code: /^billing_error$/, kind: 'billing' },
  { code: /^request_too_large$/, kind: 'payload-too-large' },
  { words: /specified API usage limits|credit balance is too low/i, kind: 'billing' },
]
