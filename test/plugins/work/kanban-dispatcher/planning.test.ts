/** Tasks in triage are planned by looks of the dispatcher, with a gateway or without one. */

import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { Planning } from '../../../../plugins/work/kanban-dispatcher/planning.ts'
import { call, openScene } from './scene.ts'

test('a single look without a gateway plans a task in triage and gives its part to a worker', async () => {
  await using scene = await openScene({
    model: ({ task, called }) => {
      const tasks = [{ title: 'Part', body: 'Do it.', assignee: null, parents: [] }]
      if (task === '') return JSON.stringify({ fanout: true, rationale: 'So.', tasks })
      return called.length === 0 ? call('kanban_complete', { summary: 'I did it' }) : 'Done.'
    },
  })
  const { id } = await scene.create({ title: 'Report', isTriage: true })
  expect(await scene.run(['kanban', 'dispatch', '--dry-run'])).toMatchObject({ code: 0 })
  expect((await scene.boards.get(id)).status).toBe('triage')
  expect(await scene.run(['kanban', 'dispatch'])).toMatchObject({ code: 0 })
  const { tasks } = await scene.boards.list({})
  expect(tasks.find((task) => task.id === id)).toMatchObject({ status: 'todo' })
  const runs = await scene.boards.runs({ board: null })
  expect(runs.map(({ taskId }) => taskId)).toEqual(tasks.filter((task) => task.id !== id).map((task) => task.id))
})

test('looks that come soon after each other plan once in an interval, one at a time, and go on when planning fails', async () => {
  const clock = virtualClock()
  let begun = 0
  let end = () => {}
  let fails = false
  const faults: string[] = []
  const note = (text: string) => void faults.push(text)
  const log = { debug: () => {}, info: () => {}, warn: note, error: note }
  const planDue = async () => {
    begun++
    if (fails) throw new Error('no')
    await new Promise<void>((resolve) => {
      end = resolve
    })
    return []
  }
  const { signal } = new AbortController()
  const planning = new Planning({ planner: async () => ({ planDue }), clock, log, signal, intervalMs: () => 60_000 })
  const look = async () => {
    planning.looked()
    await clock.advance(0)
  }
  for (let looks = 0; looks < 3; looks++) await look()
  await clock.advance(61_000)
  await look()
  expect(begun).toBe(1)
  end()
  await planning.settled()
  await look()
  expect(begun).toBe(2)
  end()
  await planning.settled()
  await look()
  expect(begun).toBe(2)
  fails = true
  await clock.advance(61_000)
  await look()
  await planning.settled()
  expect([begun, faults.length]).toEqual([3, 1])
})
