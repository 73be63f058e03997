import { type PluginContext, Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { findSessions } from '../../../../plugins/sessions/sessions-cli/find.ts'
import { sessionsKernel, talk } from './support.ts'

test('many ids are found without listing all sessions for each: not at all for whole ids, once for short ones', async () => {
  await using fixture = await sessionsKernel()
  const { sessions, clock } = fixture
  const ids: string[] = []
  for (let at = 0; at < 12; at++) {
    ids.push(talk(sessions, ['hi', 'hello']).id)
    await clock.advance(60_000)
  }
  let lists = 0
  const counted = Object.create(sessions) as Sessions
  Object.assign(counted, {
    summary: (id: string) => sessions.summary(id),
    list: (filter: Parameters<Sessions['list']>[0]) => {
      lists++
      return sessions.list(filter)
    },
  })
  const ctx = { use: (token: unknown) => (token === Sessions ? counted : undefined) } as PluginContext<undefined>
  expect((await findSessions(ctx, ids)).map(({ id }) => id)).toEqual(ids)
  expect(lists).toBe(0)
  const short = ids.map((id) => id.slice(0, -2))
  expect((await findSessions(ctx, [...short, ...ids])).map(({ id }) => id)).toEqual(ids)
  expect(lists).toBe(1)
  await expect(findSessions(ctx, [ids[0] as string, 'no such'])).rejects.toMatchObject({ code: 'SESSIONS_UNKNOWN' })
})
