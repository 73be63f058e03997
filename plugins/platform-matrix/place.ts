/** Where reading had come to, and as which device, as the gateway keeps it. */
import { parseJson } from 'svc/sdk'
import { z } from 'zod'

const place = z.object({ since: z.string(), deviceId: z.string().optional() })
/** `since`: the token of the last sync of which every message is safe. */
export type Place = z.infer<typeof place>

/** Undefined when there is none, or none that can be read: then reading begins with what comes next. */
export function readPlace(kept = ''): Place | undefined {
  return place.safeParse(parseJson(kept)?.value).data
}
