import { expect, test } from 'vitest'
import { Gauge } from '../../../../plugins/agent/compression/size-estimate.ts'

const request = (estimate: number, counted?: number, turnId = 'turn') => ({ turnId, estimate, counted, slack: 4096 })

test('an estimate holds until the provider has counted, and is corrected by that from then on', () => {
  const gauge = new Gauge()
  expect(gauge.read(request(10_000)).size).toBe(10_000)
  expect(gauge.read(request(11_000, 15_000)).size).toBe(16_500)
  expect(gauge.read(request(20_000, undefined, 'another turn')).size).toBe(30_000)
})

test('a count that makes no sense changes nothing', () => {
  const gauge = new Gauge()
  gauge.read(request(10_000))
  expect(gauge.read(request(11_000, 10))).toEqual({ size: 11_000, counted: undefined, effect: undefined })
  expect(new Gauge().read(request(11_000, 0)).size).toBe(11_000)
})

test('of a turn that another process began the larger of both numbers holds', () => {
  expect(new Gauge().read(request(10_000, 14_000)).size).toBe(14_000)
})

test('after a compression the count of before is forgotten, little growth is not estimated, and the effect comes once', () => {
  const gauge = new Gauge()
  gauge.read(request(10_000))
  gauge.read(request(20_000, 12_000))
  gauge.compressed(5000, 12_000)
  expect(gauge.read(request(5000, 12_000)).size).toBeUndefined()
  expect(gauge.read(request(9000, 12_000)).size).toBeUndefined()
  expect(gauge.read(request(9100, 12_000)).size).toBe(10_920)
  expect(gauge.read(request(9100, 9500))).toMatchObject({ effect: 9500 })
  expect(gauge.read(request(9100, 9600)).effect).toBeUndefined()
})
