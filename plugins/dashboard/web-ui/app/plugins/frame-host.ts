/** Answers the frame of a page: only what its plugin was allowed to ask for. */
import type { DashboardPageClient } from '../../../../../sdk/dashboard-pages.ts'
import { ApiError, request } from '../client/api.ts'
import { notify } from '../client/notices.ts'
import type { PluginPage } from '../client/plugin-pages.ts'
import { RpcFailure, rpc } from '../client/rpc.ts'
import type { FrameState, FromFrame, ToFrame } from '../frame/messages.ts'

interface FrameHostDeps {
  readonly page: PluginPage
  navigate(path: string): void
  onMounted(): void
  onFailed(message: string): void
}

export interface FrameLink {
  update(state: FrameState): void
  close(): void
}

/** Starts the page in a frame that was loaded. */
export function connectFrame(frame: HTMLIFrameElement, first: FrameState, deps: FrameHostDeps): FrameLink {
  const { port1: port, port2 } = new MessageChannel()
  const tell = (message: ToFrame) => port.postMessage(message)
  port.onmessage = ({ data }) => void take(data as FromFrame, deps, tell)
  const start: ToFrame = { type: 'start', name: deps.page.name, state: first }
  // The frame has no origin that could be named.
  frame.contentWindow?.postMessage(start, '*', [port2])
  return { update: (state) => tell({ type: 'state', state }), close: () => port.close() }
}

async function take(message: FromFrame, deps: FrameHostDeps, tell: (message: ToFrame) => void): Promise<void> {
  const { page } = deps
  switch (message.type) {
    case 'mounted':
      return deps.onMounted()
    case 'failed':
      return deps.onFailed(String(message.message))
    case 'fault':
      return notify(`${page.plugin}: ${String(message.message).slice(0, 300)}`, 'error')
    case 'navigate':
      return /^\/(?!\/)/.test(message.path) ? deps.navigate(message.path) : undefined
    case 'notify':
      return notify(`${page.plugin}: ${String(message.text).slice(0, 300)}`, message.tone)
    case 'key':
      return pressKey(message)
    default: {
      const { id } = message
      try {
        tell({ type: 'answer', id, value: await answer(message, page) })
      } catch (error) {
        tell({ type: 'refusal', id, message: (error as Error).message, code: getCode(error) })
      }
    }
  }
}

function answer(message: Extract<FromFrame, { type: 'request' | 'call' }>, page: PluginPage): Promise<unknown> {
  const isAllowed =
    message.type === 'call'
      ? page.frame?.methods.includes(message.method) === true
      : mayRequest(page, message.method, message.path)
  if (!isAllowed) {
    const asked = message.type === 'call' ? message.method : `${message.method} ${message.path}`
    throw new Error(`The page of ${page.plugin} may not ask for ${asked}: its "uses" does not name it.`)
  }
  if (message.type === 'call') return rpc.call(message.method, message.params)
  const { query, body } = message.options ?? {}
  return request(message.method, message.path, { ...(query && { query }), ...(body !== undefined && { body }) })
}

/** Of its own plugin all routes, of others those that it names. An address that is not what it seems is refused. */
export function mayRequest(
  { plugin, frame }: PluginPage,
  method: Parameters<DashboardPageClient['request']>[0],
  path: string,
): boolean {
  const isPlain = path.startsWith('/api/') && new URL(path, 'http://localhost').pathname === path
  if (!isPlain) return false
  if (path.startsWith(`/api/plugins/${plugin}/`)) return true
  return frame?.routes.some((route) => fits(route, `${method} ${path}`)) === true
}

function fits(route: string, asked: string): boolean {
  const [wanted, given] = [route.split('/'), asked.split('/')]
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
  )
}

/** The palette and the like also open while the focus is in a frame. */
function pressKey({ key, shiftKey }: Extract<FromFrame, { type: 'key' }>): void {
  dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, ctrlKey: true }))
}

function getCode(error: unknown): string {
  if (error instanceof RpcFailure) return error.code
  const { code } = ((error instanceof ApiError && error.body) || {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : ''
}
