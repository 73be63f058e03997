import { abbreviateHome, formatCount, formatDuration, formatTime, formatUsd } from 'svc/sdk/terminal'
import { expect, it } from 'vitest'

it('a time is told in the two units that matter', () => {
  const told = [-1, 0, 450, 9_999, 10_000, 59_999, 60_000, 185_000, 3_600_000, 7_620_000].map(formatDuration)
  expect(told).toEqual(['0.0s', '0.0s', '0.4s', '9.9s', '10s', '59s', '1m 00s', '3m 05s', '1h 00m', '2h 07m'])
})

it('a count is told with three digits at most', () => {
  const told = [0, 999, 1000, 12_345, 99_999, 123_456, 999_949, 999_950, 1_234_567].map(formatCount)
  expect(told).toEqual(['0', '999', '1k', '12.3k', '100k', '123k', '1000k', '1M', '1.2M'])
})

it('money has more digits when it is little', () => {
  expect([0.0042, 0.09, 0.1, 12.345].map(formatUsd)).toEqual(['$0.0042', '$0.0900', '$0.10', '$12.35'])
})

it('a time of day is the local one', () => {
  expect(formatTime(new Date(2026, 0, 2, 7, 5).getTime())).toBe('07:05')
})

it('a path inside the home folder begins with ~, every other one stays as it is', () => {
  const told = ['/home/ann', '/home/ann/', '/home/ann/src', '/home/anna/src', '/srv', ''].map((path) =>
    abbreviateHome(path, '/home/ann'),
  )
  expect(told).toEqual(['~', '~/', '~/src', '/home/anna/src', '/srv', ''])
  expect(abbreviateHome('/home/ann/src', '/home/ann/')).toBe('~/src')
  expect(abbreviateHome('C:\\Users\\ann\\src', 'C:\\Users\\ann')).toBe('~\\src')
  for (const unknown of [undefined, '', '/']) expect(abbreviateHome('/srv/x', unknown)).toBe('/srv/x')
})
