/** Requests to the routes of the server. */
import { effect, signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { authHeaders, basePath, LoginExpired, renewToken } from './session.ts'

/** A refused request, in the words of the server. */
export class ApiError extends Error {
  readonly status: number
  /** What it said besides, such as the place of a mistake. */
  readonly body: unknown

  constructor(status: number, message: string, body: unknown) {
    super(message)
    this.status = status
    this.body = body
  }
}

/** Set when a request was refused for want of a login. */
export const loginExpired = signal(false)

type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface RequestOptions {
  readonly query?: Query
  /** Sent as JSON, or as it is when it is an `ArrayBuffer` or a form. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Resolves with the JSON of the reply. Rejects with `ApiError`, and with `LoginExpired`. */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options)
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

export async function send(method: string, path: string, { query, body, signal }: RequestOptions): Promise<Response> {
  const isForm = body instanceof FormData
  const isBytes = body instanceof ArrayBuffer
  const ask = () =>
    fetch(createAddress(path, query), {
      method,
      headers: {
        ...authHeaders(),
        // The browser writes that of a form, which names its boundary.
        ...(body !== undefined &&
          !isForm && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body !== undefined && { body: isBytes || isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  let response = await ask()
  // It was refused before it was done, so it may be asked again.
  if (response.status === 401 && (await renewToken())) response = await ask()
  if (response.status === 401) {
    loginExpired.value = true
    throw new LoginExpired()
  }
  if (!response.ok) throw await readError(response)
  return response
}

function createAddress(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `${basePath}${path}${search === '' ? '' : `?${search}`}`
}

async function readError(response: Response): Promise<ApiError> {
  const text = await response.text()
  let body: unknown = text
  try {
    body = JSON.parse(text)
  } catch {
    // A proxy answered in its own words.
  }
  const { detail, error } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const nested = (error as { readonly message?: unknown } | undefined)?.message
  const said = [detail, nested, error].find((each) => typeof each === 'string')
  return new ApiError(
    response.status,
    (said as string | undefined) ?? `${response.status} ${response.statusText}`,
    body,
  )
}

export interface Resource<T> {
  readonly data: T | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
  reload(): void
}

const MAX_WAIT_MS = 30_000

/** Reads something while a component is shown, again when `deps` change, and every `everyMs` while the page is visible. */
export function useResource<T>(
  read: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  everyMs?: number,
): Resource<T> {
  const [state, setState] = useState<{ data?: T; error?: Error }>({})
  const [turn, setTurn] = useState(0)
  const latest = useRef(read)
  latest.current = read
  const readingSince = useRef<number | undefined>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    readingSince.current = Date.now()
    latest
      .current(controller.signal)
      .then((data) => setState({ data }))
      .catch((error: Error) => {
        if (!controller.signal.aborted) setState((before) => ({ ...before, error }))
      })
      .finally(() => {
        if (!controller.signal.aborted) readingSince.current = undefined
      })
    return () => controller.abort()
  }, [...deps, turn])
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const again = () => {
      // An answer that takes longer than that is waited for, but not for ever.
      const isWaiting = Date.now() - (readingSince.current ?? 0) < MAX_WAIT_MS
      if (document.visibilityState === 'visible' && !isWaiting) setTurn((each) => each + 1)
    }
    const timer = setInterval(again, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return {
    data: state.data,
    error: state.error,
    isLoading: state.data === undefined && state.error === undefined,
    reload: () => setTurn((each) => each + 1),
  }
}

/** A value that outlives a reload of the page. */
export function stored<T>(name: string, first: T) {
  let start = first
  try {
    const text = localStorage.getItem(`svc.${name}`)
    if (text !== null) start = JSON.parse(text) as T
  } catch {
    // Private windows may have no storage; the value then lives as long as the page.
  }
  const value = signal<T>(start)
  effect(() => {
    const text = JSON.stringify(value.value)
    try {
      localStorage.setItem(`svc.${name}`, text)
    } catch {
      // As above, or it is full.
    }
  })
  return value
}
