/** Since when events are read, and which was the last that is safe, as the gateway keeps it. */
import { tryParseJson } from 'svc/sdk'
import { z } from 'zod'

const place = z.object({
  /** When reading began, in milliseconds since 1970: what is older is not answered. */
  since: z.number(),
  lastId: z.string().optional(),
})

/** Undefined if it is missing or unreadable: then reading begins with the next message. */
export function readPlace(kept = ''): z.infer<typeof place> | undefined {
  return place.safeParse(tryParseJson(kept)?.value).data
}
