import { z } from 'zod'

/** The state of the tests: a count. */
export const counter = { schema: z.object({ count: z.number() }), initial: { count: 0 } }
