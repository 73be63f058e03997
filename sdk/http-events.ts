/** Replies that are streams of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import type { HttpResponse } from './http.ts'
import type { Clock } from './ports.ts'

/** Proxies close what is silent for a minute. */
const SILENCE_MS = 30_000
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

/** One event, its data as JSON. `id` is what a client sends back as `Last-Event-ID`. @since 0.2 */
export function formatServerEvent(
  data: unknown,
  { name, id }: { readonly name?: string; readonly id?: number } = {},
): string {
  return `${name ? `event: ${name}\n` : ''}${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}

/**
 * A reply of events as text (see `formatServerEvent`); comments keep the connection alive. Iteration stops when the client disconnects.
 * @since 0.2
 */
export function eventStreamResponse(
  pieces: AsyncIterable<string>,
  clock: Clock,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { headers: { ...STREAM_HEADERS, ...headers }, body: keptAlive(pieces[Symbol.asyncIterator](), clock) }
}

async function* keptAlive(pieces: AsyncIterator<string>, clock: Clock): AsyncGenerator<string> {
  let next = pieces.next()
  try {
    for (;;) {
      const piece = await orSilence(next, clock)
      if (piece?.done) return
      yield piece ? piece.value : ': keepalive\n\n'
      if (piece) next = pieces.next()
    }
  } finally {
    void pieces.return?.()?.catch(() => {})
  }
}

/** Undefined when nothing came for a while. */
function orSilence<T>(waiting: Promise<T>, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(SILENCE_MS, () => resolve(undefined), { background: true })
    waiting.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error: unknown) => {
        cancel()
        reject(error)
      },
    )
  })
}
