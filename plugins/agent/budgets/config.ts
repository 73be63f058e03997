/** The config block `budget`: caps. A missing key means no cap. */
import { z } from 'zod'

const usd = z.number().positive().optional().meta({ description: 'US dollars.' })
const tokens = z.number().int().positive().optional().meta({ description: 'Tokens read and written.' })
const toolCalls = z.number().int().positive().optional().meta({ description: 'Calls of tools.' })
const seconds = z.number().positive().optional().meta({ description: 'Seconds from the first call on.' })
const long = z.object({ usd, tokens }).prefault({})
const day = long.meta({ description: 'From midnight to midnight, local time.' })
const month = long.meta({ description: 'From the first to the last day, local time.' })
const short = z.object({ usd, tokens, tool_calls: toolCalls, seconds }).prefault({})

export const config = z.object({
  account: z
    .object({ day, month })
    .prefault({})
    .meta({ description: 'Everything under SVC_HOME, all profiles together.' }),
  profile: z.object({ day, month }).prefault({}).meta({ description: 'The profile in use.' }),
  session: long.meta({ description: 'One conversation, from its beginning.' }),
  turn: short.meta({ description: 'One turn, with its subagents and side work.' }),
})
export type Config = z.infer<typeof config>
