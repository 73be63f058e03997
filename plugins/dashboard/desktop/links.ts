/** Deep links: `svc://chat/ID` is the page `/chat/ID` of the dashboard. A path may be given as it is. */
import { SvcError } from 'svc/sdk'

const SCHEME = 'svc://'
const PATH = /^\/(?!\/)[A-Za-z0-9._~:@!$&'()*+,;=%/-]*(?:\?[^#\s"<>\\]*)?$/
const MAX_LENGTH = 2000

/** The path of a page, beginning with one slash. Throws `DESKTOP_LINK`. */
export function parseLink(text: string): string {
  const path = text.startsWith(SCHEME) ? `/${text.slice(SCHEME.length).replace(/^\/+/, '')}` : text
  const segments = path.split(/[/?]/)
  if (path.length <= MAX_LENGTH && PATH.test(path) && !segments.includes('..') && !segments.includes('.')) return path
  throw new SvcError('DESKTOP_LINK', 'The link leads to no page. It looks like svc://sessions or svc://chat/ID.')
}
