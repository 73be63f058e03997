/** Suggestions: nothing is scheduled before a yes, a no holds for good, and a yes makes one job. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Skills } from 'svc/sdk/skills'
import { expect, test, vi } from 'vitest'
import { write } from '../../skills/skills/stage.ts'
import { open, withBlueprint } from './stage.ts'

const standup = (schedule = 'every 1h') => withBlueprint('standup', `{ schedule: ${schedule}, title: Standup }`)

test('where nothing is scheduled svc suggests two jobs; one is accepted, one dismissed, and neither returns', async () => {
  const { svc, cron } = await open()
  const listed = await svc('suggestions')
  expect(listed).toMatch(/1 +Morning brief +30 7 \* \* \*[\s\S]*2 +Weekly review +0 16 \* \* fri/)
  expect(await svc('suggestions')).toBe(listed)
  expect(await cron.list()).toEqual([])
  expect(await svc('suggestions', 'dismiss', '2')).toBe('Weekly review is not suggested again.\n')
  expect(await svc('suggestions', 'accept', '1')).toMatch(/^Added morning-brief \([0-9a-f]{12}\)/)
  const [job] = await cron.list()
  expect(job).toMatchObject({ name: 'morning-brief', schedule: { expression: '30 7 * * *' } })
  await cron.remove('morning-brief')
  expect(JSON.parse(await svc('suggestions', '--json'))).toEqual({ suggestions: [] })
  expect(await svc('suggestions')).toMatch(/^No suggestion is pending/)
  expect(await svc('suggestions', 'accept', '2')).toMatch(/was dismissed before\. \(SUGGESTION_DECIDED/)
  expect(await svc('suggestions', 'dismiss', '1')).toMatch(/was accepted before/)
  expect(await svc('suggestions', 'accept', '9')).toMatch(/SUGGESTION_UNKNOWN/)
  expect(await svc('suggestions', 'accept', 'one')).toMatch(/by its number, not "one"/)
  // Accepted twice it is the same job.
  expect(JSON.parse(await svc('suggestions', 'accept', '1', '--json')).id).toBe(job?.id)
  expect(await cron.list({ all: true })).toHaveLength(1)
})

test('a skill that is installed suggests its blueprint once; removed, changed and dismissed ones do not come back', async () => {
  const { home, kernel, svc } = await open()
  await kernel.use(Skills).reload()
  write(home, { 'skills/standup/SKILL.md': standup() })
  await kernel.use(Skills).reload()
  const pending = async () =>
    JSON.parse(await svc('suggestions', '--json')).suggestions.map(
      (each: { id: number; blueprint: string }) => `${each.id} ${each.blueprint}`,
    )
  // Before anything looks at the list: it was registered when the skill came.
  const stored = () => readFileSync(join(home, 'data/cron-blueprints/state/suggestions.json'), 'utf8')
  await vi.waitFor(() => expect(stored()).toMatch(/"source":"blueprint","blueprint":"standup",.*"status":"pending"/))
  expect(await pending()).toEqual(['1 standup', '2 morning-brief', '3 weekly-review'])
  // What is accepted is what was shown: a changed job has another number.
  write(home, { 'skills/standup/SKILL.md': standup('every 2h') })
  await kernel.use(Skills).reload()
  expect(await pending()).toContain('4 standup')
  expect(await svc('suggestions', 'accept', '1')).toMatch(/SUGGESTION_UNKNOWN/)
  rmSync(join(home, 'skills/standup'), { recursive: true })
  await kernel.use(Skills).reload()
  expect((await pending()).join()).not.toContain('standup')
  write(home, { 'skills/standup/SKILL.md': standup() })
  await kernel.use(Skills).reload()
  expect(await pending()).toContain('5 standup')
  expect(await svc('suggestions', 'dismiss', '5')).toMatch(/^Standup is not suggested again/)
  write(home, { 'skills/standup/SKILL.md': standup('every 3h') })
  await kernel.use(Skills).reload()
  expect((await pending()).join()).not.toContain('standup')
})

test('at most five are pending, those of skills first; a decision makes room', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const { svc } = await open(
    Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, withBlueprint(name, '{ schedule: every 1h }')])),
  )
  const pending = async () =>
    JSON.parse(await svc('suggestions', '--json')).suggestions.map((each: { blueprint: string }) => each.blueprint)
  expect(await pending()).toEqual(['a', 'b', 'c', 'd', 'e'])
  await svc('suggestions', 'dismiss', '1')
  expect(await pending()).toEqual(['b', 'c', 'd', 'e', 'f'])
})

test('in a conversation they are listed, accepted and dismissed; the job tells in the chat', async () => {
  const { talk, cron } = await open({ 'skills/standup/SKILL.md': standup() })
  const chat = talk({ surface: 'fake', commands: 'gateway', by: { platform: 'fake', chatId: 'team', userId: 'ada' } })
  expect(await chat.type('/suggestions')).toMatch(
    /1\. \*\*Standup\*\* \(`every 1h`\): The skill standup brings it\.[\s\S]*accept N/,
  )
  expect(await chat.type('/suggestions accept 1')).toMatch(/^Added standup, due /)
  expect(await cron.get('standup')).toMatchObject({ origin: 'fake:team', skills: ['standup'] })
  expect(await chat.type('/suggestions dismiss 2')).toBe('Morning brief is not suggested again.')
  expect(await chat.type('/suggestions dismiss 3')).toBe('Weekly review is not suggested again.')
  expect(await chat.type('/suggestions')).toMatch(/^No suggestion is pending/)
  expect(await chat.type('/suggestions accept')).toMatch(/by its number/)
  expect(await chat.type('/suggestions eat')).toBe('/suggestions knows: accept, dismiss.')
})
