import { isSecretSetting, isVariableReference, KEY_FORM, maskSecretComments, maskUrlPasswords } from 'svc/sdk/kit/text'
import { expect, test } from 'vitest'

test('keys are known by their forms, and words are not', () => {
  const twenty = 'a1'.repeat(10)
  const keys = ['sk-', 'ghp_', 'github_pat_', 'glpat-', 'xoxb-', 'xapp-', 'hf_', 'tvly-', 'ya29.'].map(
    (start) => start + twenty,
  )
  keys.push('AKIAABCDEFGHIJKLMNOP', 'ASIAABCDEFGHIJKLMNOP', `AIza${twenty}${twenty}`, `npm_${twenty}${twenty}`)
  keys.push(`eyJ${twenty}.eyJ${twenty}`)
  for (const key of keys) expect([key, KEY_FORM.test(`the key ${key}`)]).toEqual([key, true])
  for (const word of ['sk-short', 'risk-management', 'npm_config', 'hf_hub', 'eyJhbGciOi'])
    expect([word, KEY_FORM.test(word)]).toEqual([word, false])
})

test('settings are secret by their names, references to variables are not', () => {
  for (const name of ['api_key', 'botToken', 'client-secret', 'passwords', 'apikey', 'hotkey'])
    expect([name, isSecretSetting(name)]).toEqual([name, true])
  for (const name of ['keyboard', 'max_tokens_used', 'secretary'])
    expect([name, isSecretSetting(name)]).toEqual([name, false])
  expect([isVariableReference('${A_KEY}'), isVariableReference('${A_KEY}x')]).toEqual([true, false])
})

test('passwords in addresses and keys in comments are replaced', () => {
  expect(maskUrlPasswords('postgres://svc:hunter2@db/svc, https://host/a:b')).toBe(
    'postgres://svc:***@db/svc, https://host/a:b',
  )
  expect(maskSecretComments('a: 1 # old token: abc def\nb: 2 # fine')).toBe('a: 1 # old token: ***\nb: 2 # fine')
})
