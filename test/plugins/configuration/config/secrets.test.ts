import { describe, expect, it } from 'vitest'
import {
  isSecretPath,
  isSecretVariable,
  isVariable,
  routeEdits,
  withReferences,
} from '../../../../plugins/configuration/config/secrets.ts'

describe('names of secrets', () => {
  it('are those with the endings of keys and those that a plugin declares', () => {
    const declared = [{ name: 'RADIO_WORD', description: '', secret: true }]
    for (const name of [
      'OPENAI_API_KEY',
      'A_TOKEN',
      'A_SECRET',
      'A_PASSWORD',
      'API_SERVER_KEY',
      'TERMINAL_SSH_HOST',
      'RADIO_WORD',
    ])
      expect([name, isSecretVariable(name, declared)]).toEqual([name, true])
    for (const name of ['SVC_API_TIMEOUT', 'KEYBOARD', 'TOKENS']) expect(isSecretVariable(name, declared)).toBe(false)
  })

  it('are told from ordinary keys of config.yaml', () => {
    for (const key of ['token', 'api_key', 'apiKey', 'bot-password', 'webhook_secret'])
      expect(isSecretPath(['a', key])).toBe(true)
    for (const key of ['max_tokens', 'tokenizer', 'secrets', 'monkey', 'keys'])
      expect(isSecretPath(['a', key])).toBe(false)
    expect(isSecretPath(['a', 'token', '0'])).toBe(true)
  })

  it('are variables only when they stand alone and in capitals', () => {
    expect(isVariable(['A_B'])).toBe(true)
    expect(isVariable(['a_b'])).toBe(false)
    expect(isVariable(['A_B', 'c'])).toBe(false)
  })
})

describe('values on their way into config.yaml', () => {
  it('leave a reference to a variable behind when they are secret', () => {
    const schema = { properties: { 'bot.token': { type: 'string', secret: true } } }
    const edits = [{ path: ['tele-gram', 'bot.token'], value: 'x' }]
    expect(routeEdits(edits, {}, { properties: { 'tele-gram': schema } })).toEqual({
      config: [{ path: ['tele-gram', 'bot.token'], value: '${TELE_GRAM_BOT_TOKEN}' }],
      env: [{ name: 'TELE_GRAM_BOT_TOKEN', value: 'x' }],
    })
  })

  it('stay the references they are when those stand for what is wanted', () => {
    const lookup = (name: string) => ({ CITY: 'Oslo', PORT: '80' })[name]
    const current = { a: 'in ${CITY}', list: ['${CITY}', 'x', '${PORT}'], deep: { b: '${PORT}' } }
    const wanted = { a: 'in Oslo', list: ['new', 'Oslo', '80'], deep: { b: '81' }, more: 'Oslo' }
    expect(withReferences(current, wanted, lookup)).toEqual({
      a: 'in ${CITY}',
      list: ['new', '${CITY}', '${PORT}'],
      deep: { b: '81' },
      more: 'Oslo',
    })
    expect(withReferences(['${CITY}', 'Oslo'], ['Oslo', 'Oslo', 'y'], lookup)).toEqual(['${CITY}', 'Oslo', 'y'])
    expect(withReferences('${LOST}', '${LOST}', lookup)).toBe('${LOST}')
    expect(withReferences(undefined, null, lookup)).toBe(null)
  })
})
