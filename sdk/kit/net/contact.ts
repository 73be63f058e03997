/** Addresses under which people reach the agent. */

/**
 * Whether a text can be a `Platform.contact`: a URL of at most 1,000 visible characters that runs and reads nothing where it is opened.
 * @since 0.2
 */
export function isContact(text: string): boolean {
  if (text.length > 1000 || !/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false
  return !/^(?:javascript|vbscript|data|blob|file|about):/.test(text)
}
