/** kill -9 of dispatchers and workers at random moments, while they work at a graph of tasks with a scripted model. */
import { expect, test } from 'vitest'
import { DAY, IS_ALL } from '../../../support/today.ts'
import { playRound, type RoundResult } from './kill-round.ts'

const KILLS = 500

test('however often dispatchers and workers are killed, every task is done or blocked for a true reason, and nothing is done twice', async () => {
  const rounds: RoundResult[] = []
  const total = () => rounds.reduce((sum, { kills }) => sum + kills.dispatchers + kills.workers, 0)
  do {
    const size = IS_ALL ? { tasks: 50, kills: 130 } : { tasks: 5, kills: 5 }
    const round = await playRound({ seed: DAY * 100 + rounds.length, ...size, failureLimit: 100 })
    rounds.push(round)
    console.log(JSON.stringify(round))
    expect(round.problems).toEqual([])
    expect(round.waiting).toBe(0)
  } while (IS_ALL && total() < KILLS)
}, 7_200_000)

test('a task whose workers are killed as often as it may fail is blocked with what happened, and what waits for it goes on waiting', async () => {
  const size = IS_ALL ? { tasks: 50, kills: 60 } : { tasks: 3, kills: 4 }
  const round = await playRound({ seed: DAY, ...size, failureLimit: 2 })
  console.log(JSON.stringify(round))
  expect(round.problems).toEqual([])
}, 1_000_000)
