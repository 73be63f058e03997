/** A backend on another machine: `SVC_DESKTOP_REMOTE_URL` and `SVC_DESKTOP_REMOTE_TOKEN`, both or neither. */
import { SvcError } from 'svc/sdk'

/** How a page reaches a backend. */
export interface Connection {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly wsUrl: string
  readonly token: string
  readonly mode: 'local' | 'remote'
  readonly source: 'env' | 'local'
}

/** Undefined when neither is set. Throws `DESKTOP_REMOTE`. */
export function readRemote(url: string | undefined, token: string | undefined): Connection | undefined {
  if (url === undefined && token === undefined) return undefined
  if (url === undefined || token === undefined) {
    const [set, missing] = url === undefined ? ['TOKEN', 'URL'] : ['URL', 'TOKEN']
    const text = `SVC_DESKTOP_REMOTE_${set} is set and SVC_DESKTOP_REMOTE_${missing} is not. Set both, or neither.`
    throw new SvcError('DESKTOP_REMOTE', text)
  }
  return { ...parseAddress(url), token, mode: 'remote', source: 'env' }
}

/** Throws `DESKTOP_REMOTE`. The text is not repeated where it may hold a password. */
function parseAddress(text: string): Pick<Connection, 'baseUrl' | 'wsUrl'> {
  if (!URL.canParse(text)) throw refused('is no address')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused(`begins with ${url.protocol}`)
  if (url.username !== '' || url.password !== '') throw refused('holds a name or a password')
  return toAddress(`${url.origin}${url.pathname.replace(/\/+$/, '')}`)
}

/** The addresses of a backend: that of its WebSocket has the scheme that fits. */
export function toAddress(baseUrl: string): Pick<Connection, 'baseUrl' | 'wsUrl'> {
  return { baseUrl, wsUrl: `${baseUrl.replace(/^http/, 'ws')}/api/ws` }
}

function refused(why: string): SvcError {
  const text = `SVC_DESKTOP_REMOTE_URL ${why}. Give an address such as https://svc.example:9119.`
  return new SvcError('DESKTOP_REMOTE', text)
}
