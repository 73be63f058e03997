import { describe, expect, it } from 'vitest'
import { isSecretPath, isSecretVariable, isVariable, variableFor } from '../../../plugins/config/secret-names.ts'

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
    expect(variableFor(['platforms', 'tele-gram', 'bot.token'])).toBe('PLATFORMS_TELE_GRAM_BOT_TOKEN')
  })
})
