/** The stand-in and the platform beside the published types of the Bot API: the compiler reads this file. */
import type { ApiMethods, Opts, Update } from '@grammyjs/types'
import { expect, expectTypeOf, test } from 'vitest'
import {
  type TelegramMethod,
  telegramMethods,
} from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/methods.ts'
import { UPDATES } from '../../../../../plugins/messaging/platforms/platform-telegram/updates.ts'

type Takes = { [Method in TelegramMethod]: (typeof telegramMethods)[Method]['takes'][number] }
type Needs = { [Method in TelegramMethod]: (typeof telegramMethods)[Method]['needs'][number] }
/** Names that must be given: those that `{}` has not. */
type Required<Given> = { [Name in keyof Given]-?: object extends Pick<Given, Name> ? never : Name }[keyof Given]
type Published = { [Method in TelegramMethod]: keyof Opts<Uint8Array>[Method] }
type PublishedNeeds = { [Method in TelegramMethod]: Required<Opts<Uint8Array>[Method]> }

test('the stand-in for Telegram knows the methods, the parameters and the necessary ones of the published types', () => {
  expectTypeOf<TelegramMethod>().toExtend<keyof ApiMethods<Uint8Array>>()
  expectTypeOf<Takes>().toEqualTypeOf<Published>()
  expectTypeOf<Needs>().toEqualTypeOf<PublishedNeeds>()
  expect(
    Object.values(telegramMethods).every(({ takes, needs }) =>
      needs.every((name) => (takes as readonly string[]).includes(name)),
    ),
  ).toBe(true)
})

test('svc asks Telegram only for kinds of updates that there are', () => {
  const kinds: readonly Exclude<keyof Update, 'update_id'>[] = UPDATES
  expect(kinds).toContain('callback_query')
})
