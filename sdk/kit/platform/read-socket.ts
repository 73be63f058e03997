/** The texts of a WebSocket one after another, for services whose events come over one. */
import { deliveryBusy } from '../../delivery.ts'
import { openTextSocket, type SocketWatch, type TextSocket } from '../net/text-socket.ts'

/** @since 0.2 */
export interface SocketReading extends SocketWatch {
  readonly url: string
  /** The service, as people call it. */
  readonly label: string
  readonly signal: AbortSignal
  /** Called once, when it is open. */
  opened?(socket: TextSocket): void
  /** The text that a binary message is given as (default: the message in UTF-8). */
  decode?(bytes: Uint8Array): string
  /** What is thrown when the service closes the socket with this code; undefined, and by default: `PLATFORM_UNREACHABLE`. */
  failure?(code: number): Error | undefined
}

/**
 * What comes in; undefined first, when the socket is open. Throws `PLATFORM_UNREACHABLE` when it is closed or silent, and closes it when
 * the iteration stops.
 * @since 0.2
 */
export async function* readSocket(reading: SocketReading): AsyncGenerator<string | undefined, never> {
  const { url, label, clock, silenceMs, pingMs, opened, decode } = reading
  const abort = new AbortController()
  const waiting: (string | undefined)[] = []
  let end: string | undefined
  let failure: Error | undefined
  let wake = () => {}
  const finish = (reason: string) => {
    end ??= reason
    wake()
  }
  const take = (text: string) => {
    waiting.push(text)
    wake()
  }
  const socket = await openTextSocket(
    { url, signal: AbortSignal.any([abort.signal, reading.signal]), watch: { clock, silenceMs, pingMs } },
    {
      opened() {
        opened?.(socket)
        waiting.push(undefined)
        wake()
      },
      message: take,
      ...(decode && { binary: (bytes: Uint8Array) => take(decode(bytes)) }),
      closed(reason, code) {
        failure = reading.failure?.(code)
        finish(reason)
      },
    },
  )
  try {
    for (;;) {
      for (let next = waiting.splice(0, 1); next.length > 0; next = waiting.splice(0, 1)) yield next[0]
      if (failure) throw failure
      if (end !== undefined) throw deliveryBusy('PLATFORM_UNREACHABLE', `${label} ended the connection: ${end}.`)
      await new Promise<void>((resolve) => {
        wake = resolve
        if (waiting.length > 0 || end !== undefined) resolve()
      })
    }
  } finally {
    abort.abort()
  }
}
