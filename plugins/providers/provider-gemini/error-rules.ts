/** What Google's errors mean (https://ai.google.dev/gemini-api/docs/troubleshooting). */
import type { ErrorRule } from 'svc/sdk/provider'

export const errorRules: readonly ErrorRule[] = [
  // The free plan has nothing of this model.
  { status: [429], words: /\blimit: 0\b/i, kind: 'billing' },
  // The delay that comes with it is that of the minute.
  { status: [429], words: /PerDay/, kind: 'rate-limit', lasting: true },
  // A quota that resets has a time; one that has to be paid for does not.
  { status: [429], waits: true, kind: 'rate-limit' },
  // A wrong key is a bad request there.
  { words: /API[ _]key (not valid|expired)|API_KEY_INVALID|API key was reported as leaked/i, kind: 'auth' },
  { words: /SERVICE_DISABLED/, kind: 'invalid' },
  { words: /models\/\S+ is not found|is not supported for generateContent/i, kind: 'model-not-found' },
]
