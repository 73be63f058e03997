import { describe, expect, it } from 'vitest'
import { compare } from './compare.ts'

describe('a comparison', () => {
  it('takes turns, so that no contender always comes first', async () => {
    const order: string[] = []
    const run = (name: string) => async () => {
      order.push(name)
      return { ms: order.length }
    }
    await compare({ floor: run('f'), bare: run('b'), ours: run('o') }, 2)
    expect(order.join('')).toBe('fbobofofb')
  })

  it('throws the first round away: it warms up', async () => {
    let runs = 0
    const { series } = await compareOne(async () => ({ ms: runs++ === 0 ? 1000 : 10 }))
    expect(series('ms').ours).toEqual([10, 10, 10])
  })

  it('continues without a contender that failed, and says why', async () => {
    let runs = 0
    const broken = async () => {
      if (++runs === 2) throw new Error('it fell over')
      return { ms: 1 }
    }
    const comparison = await compare({ floor: async () => ({ ms: 2 }), ours: broken }, 3)
    expect(comparison.failures).toEqual({ ours: 'it fell over' })
    expect(comparison.series('ms')).toEqual({ floor: [2, 2, 2] })
    expect(runs).toBe(2)
  })
})

async function compareOne(run: () => Promise<{ ms: number }>) {
  const comparison = await compare({ ours: run }, 3)
  return { series: (key: string) => comparison.series(key) }
}
