/** A platform that fetches what people write, by a long poll or over a socket, and has an HTTP API for what they are answered. */
import { classifyDeliveryError, deliveryBusy } from '../../delivery.ts'
import { errorMessage } from '../../errors.ts'
import { retryUntilTaken } from '../../hand-over.ts'
import type { Logger } from '../../plugin.ts'
import type { PlatformApi } from './api.ts'
import type { OpenConnection } from './described-platform.ts'
import type { ConnectedContext, DescribedMessage, DescribedSettings, PlatformDescription } from './description.ts'

/** Messages that came in together. @since 0.2 */
export interface StreamBatch {
  /** Empty when the service only gave a sign of life. */
  readonly messages: readonly DescribedMessage[]
  /** How far the account is read with these, in the words of the service. It is stored once all of them were taken. */
  readonly position?: string
}

/** What a stream works with. @since 0.2 */
export interface StreamOptions<Me, Settings extends DescribedSettings> extends ConnectedContext<Me, Settings> {
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal
  /** The `position` that was stored last, by an earlier connection or process. */
  readonly position: string | undefined
}

/** Its description: data, and the mapping between the service and svc. @since 0.2 */
export interface StreamPlatform<Me, Settings extends DescribedSettings = DescribedSettings>
  extends PlatformDescription<Me, Settings> {
  /** All that tells one account from another, for how far it was read. */
  positionOf?(me: Me, context: ConnectedContext<Me, Settings>): string
  /**
   * What comes in. The first batch says that messages arrive from now on. The next one is asked for once all messages of the one before
   * were taken. When it ends or throws, the connection is lost, for good if `deliveryRefused` was thrown.
   */
  listen(api: PlatformApi, options: StreamOptions<Me, Settings>): AsyncIterable<StreamBatch>
}

/** Listens to the stream; resolves with its first batch. */
export async function openStream<Me, Settings extends DescribedSettings>(
  about: StreamPlatform<Me, Settings>,
  { link, me, api, context, signal }: OpenConnection<Me, Settings>,
  { log }: { readonly log: Logger },
): Promise<() => Promise<void>> {
  const cursor = link.cursor(about.positionOf?.(me, context) ?? context.address)
  const options = { ...context, signal, position: cursor.get() }
  const batches = about.listen(api, options)[Symbol.asyncIterator]()
  const take = async ({ messages, position }: StreamBatch) => {
    link.alive()
    for (const message of messages)
      await retryUntilTaken(() => link.receive({ platform: about.name, ...message }), {
        clock: context.clock,
        log,
        signal,
      })
    if (position !== undefined && position !== cursor.get()) cursor.set(position)
  }
  const first = await batches.next()
  if (first.done) throw deliveryBusy('PLATFORM_UNREACHABLE', `${about.label} ended the connection at once.`)
  const work = follow(first.value)
    .catch((error: unknown) => {
      if (signal.aborted) return
      const isFinal = classifyDeliveryError(error).kind === 'refused'
      link.lost(errorMessage(error), isFinal ? { final: true, code: `${about.name}_unauthorized` } : {})
    })
    // One that waits at a batch has something open.
    .finally(() => batches.return?.().catch(() => undefined))
    .then(() => undefined)
  return () => work

  async function follow(begin: StreamBatch): Promise<void> {
    await take(begin)
    for (;;) {
      const next = await batches.next()
      if (next.done) break
      await take(next.value)
    }
    if (!signal.aborted) link.lost(`${about.label} ended the connection.`)
  }
}
