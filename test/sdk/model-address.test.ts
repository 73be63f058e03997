import { isKeyAllowedAt, isLoopback } from 'svc/sdk/provider'
import { expect, test } from 'vitest'

const hosts = ['api.test', 'azure.test']

test.for([
  ['https://api.test/v1', true],
  ['https://mine.azure.test', true],
  ['http://127.0.0.1:8080', true],
  ['http://localhost', true],
  ['http://[::1]:1', true],
  ['http://api.test/v1', false],
  ['https://xapi.test', false],
  ['https://api.test.evil.test', false],
  ['https://127.0.0.1.evil.test', false],
  ['https://localhost.evil.test', false],
] as const)('whether the key of a service may go to %s: %s', ([address, may]) => {
  expect(isKeyAllowedAt(new URL(address), hosts)).toBe(may)
})

test('only this machine is loopback', () => {
  expect(['http://127.9.9.9', 'http://10.0.0.1'].map((text) => isLoopback(new URL(text)))).toEqual([true, false])
})
