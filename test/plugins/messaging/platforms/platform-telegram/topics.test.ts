import { expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected: bot } = createStages('telegram', openStandIn)

test.for([
  ['all topics', {}, {}, ['general', 'seven', 'eight', 'alone']],
  ['no ignored one', { ignored_threads: [7, '1'] }, {}, ['eight', 'alone']],
  ['allowed ones', { allowed_topics: '7, 1' }, {}, ['general', 'seven', 'alone']],
  ['one that is both allowed and ignored: none', { allowed_topics: [7], ignored_threads: [7] }, {}, ['alone']],
  ['what the environment says first', { allowed_topics: [7] }, { TELEGRAM_ALLOWED_TOPICS: '8' }, ['eight', 'alone']],
  ['less, by the environment', {}, { TELEGRAM_IGNORED_THREADS: '7,8' }, ['general', 'alone']],
] as const)('in groups of Telegram the bot reads %s', async ([, config, env, heard]) => {
  await using at = await bot({ config, env })
  const ada = at.fake.member({ group: 'lab' })
  await ada.say('general')
  await ada.say('seven', { threadId: '7' })
  await ada.say('eight', { threadId: '8' })
  await at.fake.member().say('alone', { threadId: '7' })
  await vi.waitFor(() => expect(at.ear.texts).toEqual(heard))
})
