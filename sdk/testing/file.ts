/** Files for tests of what goes out. */
import { classifyMediaType } from '../attachments.ts'
import type { OutboundFile } from '../platforms.ts'

/** A file as the outbox hands it to a platform. Without a media type it is a text. @since 0.1 */
export function outboundFile(
  name: string,
  content: string | Uint8Array,
  facts: Partial<Pick<OutboundFile, 'mediaType' | 'kind' | 'isVoice'>> = {},
): OutboundFile {
  const bytes = Buffer.from(content)
  const { mediaType = 'text/plain' } = facts
  return { name, mediaType, kind: classifyMediaType(mediaType), size: bytes.length, ...facts, bytes: async () => bytes }
}
