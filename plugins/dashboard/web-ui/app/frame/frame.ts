/** Runs in the frame of a page: loads its module, and gives it the host. */
import './frame.css'
import type { DashboardPageClient, DashboardPageMount } from '../../../../../sdk/dashboard-pages.ts'
import type { FrameState, FromFrame, ToFrame } from './messages.ts'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

const root = document.documentElement
const waiting = new Map<number, Waiting>()
const listeners = new Set<(state: FrameState) => void>()
let next = 1

addEventListener('message', ({ data, source, ports: [port] }) => {
  const { type } = (data ?? {}) as Partial<ToFrame>
  if (source !== parent || type !== 'start' || !port) return
  void start(port, data as Extract<ToFrame, { type: 'start' }>)
})

async function start(port: MessagePort, { name, state: first }: Extract<ToFrame, { type: 'start' }>): Promise<void> {
  const tell = (message: FromFrame) => port.postMessage(message)
  let state = first
  show(state)
  port.onmessage = ({ data }) => {
    const message = data as ToFrame
    if (message.type === 'state') {
      state = message.state
      show(state)
      for (const listener of listeners) listener(state)
    } else settle(message)
  }
  const ask = (create: (id: number) => FromFrame) =>
    new Promise<unknown>((resolve, reject) => {
      const id = next++
      waiting.set(id, { resolve, reject })
      tell(create(id))
    })
  const host: DashboardPageClient = {
    name,
    get state() {
      return state
    },
    onState(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    request: (method, path, options) => ask((id) => ({ type: 'request', id, method, path, options })),
    call: (method, params) => ask((id) => ({ type: 'call', id, method, params })),
    navigate: (path) => tell({ type: 'navigate', path }),
    notify: (text, tone) => tell({ type: 'notify', text, tone }),
  }
  addEventListener('error', ({ message }) => tell({ type: 'fault', message }))
  addEventListener('unhandledrejection', ({ reason }) => tell({ type: 'fault', message: getMessage(reason) }))
  addEventListener('keydown', (event) => {
    if (!event.ctrlKey && !event.metaKey) return
    const { key, shiftKey } = event
    if (key.toLowerCase() === 'k') event.preventDefault()
    tell({ type: 'key', key, shiftKey })
  })
  try {
    await mount(host)
    tell({ type: 'mounted' })
  } catch (error) {
    tell({ type: 'failed', message: getMessage(error) })
  }
}

async function mount(host: DashboardPageClient): Promise<void> {
  const entry = document.querySelector<HTMLMetaElement>('meta[name="svc-entry"]')?.content ?? ''
  const module = (await import(new URL(entry, document.baseURI).href)) as {
    readonly default?: DashboardPageMount<HTMLElement>
  }
  const element = document.getElementById('page')
  if (typeof module.default !== 'function' || !element) throw new Error('Its module has no function as default export.')
  await module.default(element, host)
}

function show({ language, theme, direction }: FrameState): void {
  root.lang = language
  root.dir = direction
  if (theme === '') delete root.dataset['skin']
  else root.dataset['skin'] = theme
}

function settle(message: ToFrame): void {
  if (message.type !== 'answer' && message.type !== 'refusal') return
  const asked = waiting.get(message.id)
  waiting.delete(message.id)
  if (message.type === 'answer') asked?.resolve(message.value)
  else asked?.reject(Object.assign(new Error(message.message), { code: message.code }))
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
