/** Files: sent to the upload service of the server (XEP-0363), and fetched from there. */
import { xml } from '@xmpp/client'
import type { Net } from 'svc/sdk'
import { deliveryErrorFromNetwork, deliveryRefused, type OutboundFile, readWithLimit } from 'svc/sdk/platform'
import type { XmppAccount } from './account.ts'
import { DISCO_INFO, DISCO_ITEMS, UPLOAD } from './namespaces.ts'
import { listFeatures } from './rooms.ts'
import type { Stanza, XmppSession } from './session.ts'

const TIMEOUT_MS = 120_000
/** Others are not sent on (XEP-0363, 4). */
const HEADERS = ['authorization', 'cookie', 'expires']

/** The address of the service; undefined if the server has none. */
export async function findUploads(session: XmppSession, domain: string): Promise<string | undefined> {
  const ask = (to: string, xmlns: string) =>
    session.ask(xml('iq', { type: 'get', to }, xml('query', { xmlns }))).catch(() => undefined)
  const items = (await ask(domain, DISCO_ITEMS))?.getChild('query', DISCO_ITEMS)?.getChildren('item') ?? []
  for (const to of [domain, ...items.map(({ attrs }) => String(attrs['jid']))])
    if (listFeatures(await ask(to, DISCO_INFO)).includes(UPLOAD)) return to
  return undefined
}

interface UploadDeps {
  readonly session: XmppSession
  readonly account: XmppAccount
  readonly net: Net
  readonly service: string | undefined
}

/** Resolves with the address at which people fetch it. Throws `deliveryRefused` and `deliveryBusy`: without it nothing was sent. */
export async function upload(file: OutboundFile, { session, account, net, service }: UploadDeps): Promise<string> {
  if (service === undefined)
    throw deliveryRefused('PLATFORM_REFUSED', `${account.domain} has no service for files (XEP-0363).`)
  const request = { xmlns: UPLOAD, filename: file.name, size: String(file.size), 'content-type': file.mediaType }
  const answer = await session.ask(xml('iq', { type: 'get', to: service }, xml('request', request)))
  const slot = answer.getChild('slot', UPLOAD)
  const put = slot?.getChild('put')
  const [to, from] = [put?.attrs['url'], slot?.getChild('get')?.attrs['url']].map((url) => String(url))
  const isSafe = (url: string | undefined) => url !== undefined && isFileAddress(url, account)
  if (!isSafe(to) || !isSafe(from))
    throw deliveryRefused('PLATFORM_REFUSED', `${service} gave an address for files that is not encrypted.`)
  const response = await net
    .request({
      ...{ url: to ?? '', method: 'PUT', body: await file.bytes(), timeoutMs: TIMEOUT_MS },
      headers: { 'content-type': file.mediaType, ...readHeaders(put) },
    })
    .catch((error: unknown) => {
      throw deliveryErrorFromNetwork('PLATFORM_UNREACHABLE', `${service} could not be reached`, error)
    })
  response.close()
  if (response.status === 200 || response.status === 201) return from ?? ''
  throw deliveryRefused('PLATFORM_REFUSED', `${service} did not take the file: HTTP ${response.status}.`)
}

/** The bytes of a file that a person sent. Only hosts that are known are asked: any user may write any address. */
export async function fetchFile(
  url: string,
  options: {
    readonly account: XmppAccount
    readonly hosts: readonly string[]
    readonly net: Net
    readonly maxBytes: number
    readonly signal: AbortSignal
  },
): Promise<Uint8Array> {
  const { account, hosts, net, maxBytes, signal } = options
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  const isKnown = host === account.domain || host.endsWith(`.${account.domain}`) || hosts.includes(host)
  if (!isKnown || !isFileAddress(url, account))
    throw deliveryRefused(
      'PLATFORM_MEDIA',
      `The file is at ${host || 'no host'}, which is not of ${account.domain}. Add the host to platforms.xmpp.file_hosts to fetch files from it.`,
    )
  const response = await net.request({ url, signal, timeoutMs: TIMEOUT_MS })
  if (response.status === 200) return readWithLimit(response.body, { name: 'The file', maxBytes })
  response.close()
  throw deliveryRefused('PLATFORM_MEDIA', `${host} did not give the file: HTTP ${response.status}.`)
}

function isFileAddress(url: string, { isTlsOptional }: XmppAccount): boolean {
  return (
    URL.canParse(url) && (new URL(url).protocol === 'https:' || (isTlsOptional && new URL(url).protocol === 'http:'))
  )
}

function readHeaders(put: Stanza | undefined): Readonly<Record<string, string>> {
  const headers = put?.getChildren('header') ?? []
  return Object.fromEntries(
    headers.flatMap((each) => {
      const name = String(each.attrs['name']).toLowerCase()
      return HEADERS.includes(name) ? [[name, each.text().replace(/[\r\n]/g, '')]] : []
    }),
  )
}
