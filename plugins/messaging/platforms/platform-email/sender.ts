/**
 * Who wrote a mail, and whether that is proven: Authentication-Results (RFC 8601) of the one server that is believed, with
 * DMARC (RFC 7489), DKIM (RFC 6376) and SPF (RFC 7208).
 */
import { getDomain, type MailAccount } from './account.ts'

/** A header, unfolded. */
export interface MailHeader {
  /** In lower case. */
  readonly key: string
  readonly value: string
}

/** One result: `dkim=pass header.d=example.org`. */
export interface AuthResult {
  readonly method: string
  readonly result: string
  /** By `ptype.property`. */
  readonly properties: ReadonlyMap<string, string>
}

/** Whether the server says that the address in From is the writer's. */
export function isProven(address: string, headers: readonly MailHeader[], account: MailAccount): boolean {
  if (account.trustFrom) return true
  // The newest is first; later ones may have been part of the mail.
  const own = headers
    .filter(({ key }) => key === 'authentication-results')
    .map(({ value }) => parseResults(value))
    .find(({ authservId }) => account.authservId !== '' && authservId === account.authservId.toLowerCase())
  return own !== undefined && speaksFor(getDomain(address).toLowerCase(), own.results)
}

function speaksFor(domain: string, results: readonly AuthResult[]): boolean {
  const dmarc = results.filter(({ method }) => method === 'dmarc')
  if (dmarc.some(({ result }) => result === 'fail')) return false
  if (dmarc.some((each) => passes(each) && [undefined, domain].includes(findDomain(each, 'header.from')))) return true
  const dkim = results.filter((each) => each.method === 'dkim' && passes(each))
  if (dkim.some((each) => isAligned(domain, findDomain(each, 'header.d') ?? findDomain(each, 'header.i')))) return true
  return results.some((each) => {
    return each.method === 'spf' && passes(each) && findDomain(each, 'smtp.mailfrom') === domain
  })
}

function passes({ result }: AuthResult): boolean {
  return result === 'pass'
}

function findDomain({ properties }: AuthResult, name: string): string | undefined {
  const value = properties.get(name)
  return value === undefined ? undefined : getDomain(value).toLowerCase().replace(/\.$/, '')
}

/** The signer is the domain itself or one above it. What only shares a parent with it proves nothing here. */
function isAligned(domain: string, signer: string | undefined): boolean {
  return signer !== undefined && (domain === signer || (signer.includes('.') && domain.endsWith(`.${signer}`)))
}

/** RFC 8601, section 2.2. */
export function parseResults(header: string): {
  readonly authservId: string
  readonly results: readonly AuthResult[]
} {
  const [first = '', ...rest] = splitOutside(withoutComments(header))
  const [authservId = ''] = first.trim().split(/\s+/)
  const results = rest.flatMap((part) => {
    const [, method, result] = /^\s*([\w-]+)\s*(?:\/\s*\d+)?\s*=\s*([\w-]+)/.exec(part) ?? []
    if (!method || !result) return []
    const found = part.matchAll(/([a-z]+)\s*\.\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;]+)/gi)
    const properties = new Map(
      [...found].map(([, type, name, value = '']) => [`${type}.${name}`.toLowerCase(), unquote(value)]),
    )
    return [{ method: method.toLowerCase(), result: result.toLowerCase(), properties }]
  })
  return { authservId: unquote(authservId).toLowerCase(), results }
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
}

/** Comments may hold comments, and quoted text may hold what looks like them. */
function withoutComments(text: string): string {
  let depth = 0
  let kept = ''
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*"|\\.|[()]|[^"\\()]+|["\\]/gs)) {
    if (piece === '(') depth++
    else if (piece === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0) kept += piece
  }
  return kept
}

function splitOutside(text: string): string[] {
  return [...text.matchAll(/(?:"(?:[^"\\]|\\.)*"|[^;])+/g)].map(([part]) => part)
}
