/** Links that carry a secret do not leave: services and clients fetch links without a click. */

const LINK = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]}]+/gi
/** The maximum length of a link; of a longer one only the start is checked, which is enough to remove it. */
const MAX_LINK = 16_384

/** The text without them, and why each was taken out. */
export function withoutSecretLinks(
  text: string,
  secretIn: (url: string) => string | undefined,
): { readonly text: string; readonly reasons: readonly string[] } {
  const reasons: string[] = []
  const kept = text.replace(LINK, (link) => {
    const reason = link.length > MAX_LINK ? 'it is too long to be looked at' : secretIn(link)
    if (reason === undefined) return link
    reasons.push(reason)
    return `⟨link taken out: ${reason}⟩`
  })
  return { text: kept, reasons }
}
