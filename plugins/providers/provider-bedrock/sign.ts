/**
 * Signs requests with access keys of AWS: Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
import { createHash, createHmac } from 'node:crypto'
import type { AccessKeys } from './access-keys.ts'

/** A request before it is signed. */
export interface Unsigned {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** For what and when a signature holds. */
export interface SigningScope {
  readonly region: string
  /** The name of the service in AWS's terms: `bedrock`, for the runtime too. */
  readonly service: string
  /** Milliseconds since 1970. AWS refuses a signature whose time is more than five minutes away from its own. */
  readonly now: number
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** The headers of the request with those of the signature. What is sent must be exactly what was signed. */
export function signedHeaders(
  { method, url, headers, body = '' }: Unsigned,
  { id, secret, sessionToken }: AccessKeys,
  { region, service, now }: SigningScope,
): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url)
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  const added = { ...headers, 'x-amz-date': time, ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}) }
  const signed = Object.entries({ ...added, host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .sort(byName)
  const names = signed.map(([name]) => name).join(';')
  const request = [
    method,
    pathname.split('/').map(encodeUri).join('/'),
    [...searchParams]
      .map(([name, value]) => [encodeUri(name), encodeUri(value)] as const)
      .sort(byName)
      .map((pair) => pair.join('='))
      .join('&'),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    hash(body),
  ].join('\n')
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`
  const key = scope.split('/').reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secret}`)
  const signature = hmac(key, [ALGORITHM, time, scope, hash(request)].join('\n')).toString('hex')
  return {
    ...added,
    authorization: `${ALGORITHM} Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** In the order of code points, as AWS sorts. */
function byName([one, first]: readonly [string, string], [other, second]: readonly [string, string]): number {
  if (one !== other) return one < other ? -1 : 1
  return first < second ? -1 : first > second ? 1 : 0
}

/** RFC 3986: everything but unreserved characters. A path that is encoded already is encoded once more, except for S3. */
function encodeUri(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
