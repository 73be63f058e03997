/** Text from files that tries to command the model. Pure. */
import { hasHiddenText } from 'svc/sdk/kit/terminal'

/**
 * Phrases, looked for in normalised text on one line; the reason completes "it ...". Repetitions are bounded, so that no
 * text makes the search slow.
 */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override|bypass)\s+(?:\S{1,100}\s+){0,3}?(?:previous|prior|above|earlier|preceding|system|your)\s+(?:\S{1,100}\s+){0,2}?(?:instructions?|rules|prompts?|guidelines)\b/i,
    'tells the model to set its instructions aside',
  ],
  [
    /\b(?:ignore|disregard|forget)\s+(?:all|any|every)\s+(?:instructions?|prompts?)\b/i,
    'tells the model to set its instructions aside',
  ],
  [
    /\b(?:do not|don['’]t|never|without)\s+(?:tell|telling|inform|informing|alert|alerting)\s+the user\b(?! to\b)/i,
    'asks to keep something from the user',
  ],
  [/\bhide\s+(?:this|it|that)\s+from\s+the\s+user\b/i, 'asks to keep something from the user'],
  [/<\/?(?:system|system[-_ ]prompt|assistant|developer)\s*>/i, 'poses as a system message'],
  [/<\|[a-z_]{2,30}\|>|\[\/?INST\]|<<\/?SYS>>/i, 'poses as a system message'],
  [
    /\b(?:system|developer)\s*(?:message|prompt|override)?\s*:\s*(?:you (?:are|must|will)|from now on)\b/i,
    'poses as a system message',
  ],
  [
    /\b(?:curl|wget|nc|ncat)\b[^|;&]{0,200}(?:\.env\b|id_rsa|id_ed25519|\.ssh\/|\.aws\/credentials|\/etc\/shadow)/i,
    'asks to send secrets away',
  ],
  [
    /(?:\.env\b|id_rsa|id_ed25519|\.ssh\/|\.aws\/credentials|\/etc\/shadow)\S{0,100} ?\| ?(?:\S{1,100} ?\| ?)?(?:base64|curl|wget|nc|ncat)\b/i,
    'asks to send secrets away',
  ],
]

/** Why a text is not to be given to a model as notes, as the rest of a sentence about it; undefined when it may be. */
export function suspicion(text: string): string | undefined {
  if (hasHiddenText(text)) return 'holds invisible characters'
  const plain = text.normalize('NFKC').replace(/\s+/g, ' ')
  return PHRASES.find(([pattern]) => pattern.test(plain))?.[1]
}
