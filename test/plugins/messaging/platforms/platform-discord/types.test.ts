/** The stand-in beside the published types of Discord: the compiler reads this file. */
import type {
  APIMessageTopLevelComponent,
  GatewayReadyDispatchData,
  RESTPatchAPIChannelMessageJSONBody,
  RESTPostAPIChannelMessageJSONBody,
  RESTPostAPIChannelMessagesThreadsJSONBody,
} from 'discord-api-types/v10'
import { expectTypeOf, test } from 'vitest'
import type { createRows } from '../../../../../plugins/messaging/platforms/platform-discord/components.ts'
import type { createReady } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/gateway.ts'
import type { discordFields } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/rules.ts'

type Known = typeof discordFields

test('the stand-in for Discord knows the fields of messages that the published types have', () => {
  expectTypeOf<Known['create'][number]>().toEqualTypeOf<keyof RESTPostAPIChannelMessageJSONBody>()
  expectTypeOf<Known['change'][number]>().toEqualTypeOf<keyof RESTPatchAPIChannelMessageJSONBody>()
})

test('the first event of the stand-in for Discord has what the published types name', () => {
  expectTypeOf<ReturnType<typeof createReady>>().toExtend<GatewayReadyDispatchData>()
})

test('a thread is begun with fields of the published types', () => {
  expectTypeOf<{ name: string; auto_archive_duration: 1440 }>().toExtend<RESTPostAPIChannelMessagesThreadsJSONBody>()
})

test('choices are components of the published types', () => {
  expectTypeOf<ReturnType<typeof createRows>[number]>().toExtend<APIMessageTopLevelComponent>()
})
