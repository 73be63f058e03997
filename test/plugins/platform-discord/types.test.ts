/** The stand-in beside the published types of Discord: the compiler reads this file. */
import type { RESTPatchAPIChannelMessageJSONBody, RESTPostAPIChannelMessageJSONBody } from 'discord-api-types/v10'
import { expectTypeOf, test } from 'vitest'
import type { discordFields } from '../../../sdk/testing/platforms/discord-rules.ts'

type Known = typeof discordFields

test('the stand-in for Discord knows the fields of messages that the published types have', () => {
  expectTypeOf<Known['create'][number]>().toEqualTypeOf<keyof RESTPostAPIChannelMessageJSONBody>()
  expectTypeOf<Known['change'][number]>().toEqualTypeOf<keyof RESTPatchAPIChannelMessageJSONBody>()
})
