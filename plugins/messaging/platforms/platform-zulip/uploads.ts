/** Files of messages: links below `/user_uploads/` (zulip.com/api/upload-file and get-file-temporary-url). */
import type { PlatformApi } from 'svc/sdk/kit/platform'
import { deliveryUncertain, type InboundFile, type OutboundFile } from 'svc/sdk/platform'
import { z } from 'zod'

/** An organization, folders, and a name. */
const PATH = /^\/user_uploads\/\d+(?:\/[^/\s?#]+)+$/
const LINK = /!?\[([^\]\n]*)\]\(([^\s()]+)\)/g
const UPLOAD_MS = 300_000

/** `uri` is the name that it had before Zulip 9.0. */
const uploaded = z.object({ url: z.string().optional(), uri: z.string().optional() })
const temporary = z.object({ url: z.string().startsWith('/') })

/** The link that shows the file in a message. */
export async function uploadFile(api: PlatformApi, file: OutboundFile): Promise<string> {
  const { name, mediaType } = file
  const part = { field: 'filename', name, mediaType, bytes: await file.bytes() }
  const upload = { files: [part] }
  const { url, uri } = await api.ask({ path: '/api/v1/user_uploads', upload, timeoutMs: UPLOAD_MS, answer: uploaded })
  const address = url ?? uri
  if (address === undefined || !PATH.test(address))
    throw deliveryUncertain('PLATFORM_UNREACHABLE', `Zulip did not say where it keeps the file ${name}.`)
  return `[${name.replace(/[[\]\\`*$<>\n]/g, '_')}](${address})`
}

/** The files of a message, and its words. A line that only has files has no words. */
export function takeFiles(content: string, address: string): { readonly text: string; readonly files: InboundFile[] } {
  const files: InboundFile[] = []
  const lines = content.split('\n').flatMap((line) => {
    const found: InboundFile[] = []
    const said = line.replace(LINK, (whole, given: string, target: string) => {
      const ref = findPath(target, address)
      if (ref === undefined) return whole
      const name = given || decode(ref.split('/').at(-1) ?? '')
      found.push({ ref, name })
      return name
    })
    files.push(...found)
    return found.length > 0 && line.replace(LINK, '').trim() === '' ? [] : [said]
  })
  return { text: files.length > 0 ? lines.join('\n').trim() : content, files }
}

/** The bytes of a file. Its address is of use for a minute, and needs no credentials. */
export async function fetchFile(
  { ref }: InboundFile,
  api: PlatformApi,
  options: { readonly address: string; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { address, maxBytes, signal } = options
  const { url } = await api.ask({ path: `/api/v1${ref}`, answer: temporary, signal })
  const { origin } = new URL(address)
  return api.fetch(new URL(url, address).href, { origins: [origin], maxBytes, signal, isPublic: true })
}

/** Undefined for what is not a file of this server. */
function findPath(target: string, address: string): string | undefined {
  if (!URL.canParse(target, address)) return undefined
  const { origin, pathname } = new URL(target, address)
  // Dots in a path were resolved: what stays below is below.
  return origin === new URL(address).origin && PATH.test(pathname) ? pathname : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
