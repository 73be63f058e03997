/** Environment variables and secrets, by name. Provided by the kernel. */
import { defineService, type Service } from './declarations.ts'

/** Looks in the process environment first, then in `.env` of the active home. Values are masked in logs. @since 0.1 */
export interface Secrets {
  /** The value, or undefined when unset, empty or a placeholder such as `changeme`. */
  get(name: string): string | undefined
  /** Whether what is set is only a placeholder such as `changeme`, which `get` does not return. */
  isPlaceholder(name: string): boolean
  /** Where a value comes from. */
  source(name: string): 'environment' | '.env' | undefined
  /**
   * The text with every known secret replaced by `***`, also in base64, hex (dumps, too), percent-encoding, JSON and HTML
   * escapes, reversed, in another case, and with line breaks or separators inside. Values of 4 and 5 characters are
   * masked as whole words if their name marks them as secret. Not found: shorter values, compressed or encrypted
   * text, base32, octal and decimal dumps, two encodings one over the other, and parts of a secret under 12 characters.
   */
  mask(text: string): string
  /** A value that is kept elsewhere: `mask` hides it from now on, until the process ends. */
  protect(value: string): void
}
export const Secrets: Service<Secrets> = defineService('secrets', { free: ['mask'] })

const MIN_LENGTH = 16
const MIN_DIFFERENT = 9

/**
 * Why a chosen secret is too easy to guess, as the end of a sentence, such as `has 5 characters and needs
 * 16 random ones or more`; undefined when nothing does. For secrets that open something of svc: keys of APIs, secrets of
 * webhooks.
 * @since 0.2
 */
export function explainWeakSecret(secret: string): string | undefined {
  const characters = [...secret]
  if (characters.length < MIN_LENGTH)
    return `has ${characters.length} characters and needs ${MIN_LENGTH} random ones or more`
  const different = new Set(characters).size
  if (different >= MIN_DIFFERENT) return undefined
  return `has only ${different} different characters and needs ${MIN_DIFFERENT} or more`
}
