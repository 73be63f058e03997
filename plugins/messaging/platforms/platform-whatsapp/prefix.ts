/** The header of own messages, by which they are known again. */

const STANDARD = '*svc*\n'
/** Room for words must be left. */
const MAX_CHARACTERS = 1000

/** The value of config.yaml, else of the environment, else the default. Empty means no prefix; `\n` is a new line. */
export function replyPrefix(configured: string | undefined, environment: string | undefined): string {
  return (configured ?? environment ?? STANDARD).replaceAll('\\n', '\n').slice(0, MAX_CHARACTERS)
}

/** Whether a text is one of ours that came back. */
export function isEcho(text: string, prefix: string): boolean {
  return prefix !== '' && text.startsWith(prefix)
}
