/** Where reading had come to, and as which device, as the gateway keeps it. */
import { tryParseJson } from 'svc/sdk'
import { z } from 'zod'

const place = z.object({ since: z.string(), deviceId: z.string().optional() })
/** `since`: the token of the last sync of which every message is safe. */
export type SyncCursor = z.infer<typeof place>

/** Undefined if it is missing or unreadable: then reading begins with the next event. */
export function readPlace(kept = ''): SyncCursor | undefined {
  return place.safeParse(tryParseJson(kept)?.value).data
}
