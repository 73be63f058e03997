/** The events of signal-cli. */
import { SvcError } from 'svc/sdk'
import { readEvents, type ServerSentEvent } from 'svc/sdk/kit/net'

/** Characters of one event past which the sender is given up: attachments do not come with events. */
const MAX_LENGTH = 4 * 2 ** 20

/** Events as they become complete. Throws `SIGNAL_FAILED` if one is too long. */
export function streamEvents(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncIterable<ServerSentEvent> {
  const onTooLong = () =>
    new SvcError('SIGNAL_FAILED', 'One event of the daemon is over 4 MiB. Check that it is signal-cli.')
  return readEvents(body, { maxLength: MAX_LENGTH, onTooLong, heard })
}
