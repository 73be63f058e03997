/** Text that is kept and speaks to the model later, when no person reads along. Pure. */

import { hasHiddenText } from '../terminal/safe-text.ts'
import { KEY_FORM } from './secret-shapes.ts'

/** Repetitions are bounded, so that no text makes the search slow. */
const THREATS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override|bypass)\s+(?:\S{1,100}\s+){0,4}?(?:instructions?|rules|prompts?|guidelines|safety)\b/i,
    'it tells you to set instructions aside',
  ],
  [
    /\b(?:do not|don['’]t|never|without)\s+(?:tell|telling|inform|informing|ask|asking)\s+the user\b(?! to\b)/i,
    'it keeps something from the user',
  ],
  [
    /<\/?(?:system|system[-_ ]prompt|assistant|developer|memory|user-profile)\b[^>]{0,200}>|<\|[a-z_]{2,30}\|>|\[\/?INST\]/i,
    'it poses as another message',
  ],
  [/\b(?:system|developer)\s*(?:message|prompt|override)?\s*:\s*(?:you|from now on)\b/i, 'it poses as another message'],
  [
    /\b(?:curl|wget|nc|ncat)\b.{0,200}(?:\.env\b|id_rsa|id_ed25519|\.ssh\/|\.aws\/|\$\{?\w{0,100}(?:KEY|TOKEN|SECRET|PASSWORD))/i,
    'it sends secrets away',
  ],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'it holds a private key'],
  [new RegExp(`\\b${KEY_FORM.source}`), 'it holds a key'],
  [
    /\b(?:password|passwd|api[_ -]?key|secret|token)\s*(?:is|[:=])\s*["'`]?(?=\S{0,200}\d)[^\s"'`]{8,}/i,
    'it holds a password or a key',
  ],
]

/**
 * Why a text must not be kept for the model to read later, such as a memory or the prompt of a job: a sentence without its end. Undefined
 * when it may be kept.
 * @since 0.2
 */
export function findThreat(text: string): string | undefined {
  if (hasHiddenText(text)) return 'it holds invisible characters'
  const plain = text.normalize('NFKC').replace(/\s+/g, ' ')
  return THREATS.find(([pattern]) => pattern.test(plain))?.[1]
}
