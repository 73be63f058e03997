import { expect, test } from 'vitest'
import { SecretTable } from '../../home/secrets.ts'

test('the environment comes first, then .env, and where a value comes from is known', () => {
  const secrets = new SecretTable({ A_KEY: 'from-env' }, () => ({ A_KEY: 'from-file', B_KEY: 'only-file' }))
  expect([secrets.get('A_KEY'), secrets.source('A_KEY')]).toEqual(['from-env', 'environment'])
  expect([secrets.get('B_KEY'), secrets.source('B_KEY')]).toEqual(['only-file', '.env'])
  expect([secrets.get('C_KEY'), secrets.source('C_KEY')]).toEqual([undefined, undefined])
})

test.for([
  '',
  '   ',
  'changeme',
  'ChangeMe',
  'change-me',
  'your-api-key',
  'your_key_here',
  'Your key',
  'xxx',
  'xxxxxxxx',
  'todo',
  'none',
  'null',
  'undefined',
  'placeholder',
  '<your key>',
])('%j is a placeholder and counts as not set', (value) => {
  const secrets = new SecretTable({ A_KEY: value }, () => ({}))
  expect([secrets.get('A_KEY'), secrets.source('A_KEY')]).toEqual([undefined, undefined])
})

test('a placeholder in the environment does not hide the value of .env', () => {
  const secrets = new SecretTable({ A_KEY: 'changeme' }, () => ({ A_KEY: 'real-value' }))
  expect([secrets.get('A_KEY'), secrets.source('A_KEY')]).toEqual(['real-value', '.env'])
})

test.for(['sk-your-mother', 'nonesuch', 'xx', 'todo-list-key'])('%s is a value like any other', (value) => {
  expect(new SecretTable({ A_KEY: value }, () => ({})).get('A_KEY')).toBe(value)
})

test('blanks around a value are not part of it', () => {
  expect(new SecretTable({ A_KEY: ' sk-123456 \n' }, () => ({})).get('A_KEY')).toBe('sk-123456')
})

test('every value of .env is masked, and of the environment what is named like a secret', () => {
  const env = { OPENAI_API_KEY: 'sk-abcdef', GITHUB_TOKEN: 'ghp_123456', TOKEN: 'tok-123456', EDITOR: 'vim-editor' }
  const secrets = new SecretTable(env, () => ({ DATABASE_URL: 'postgres://u:p@h' }))
  const text = 'sk-abcdef, ghp_123456, tok-123456, vim-editor, postgres://u:p@h, sk-abcdef'
  expect(secrets.mask(text)).toBe('***, ***, ***, vim-editor, ***, ***')
})

test('short values are not masked, or every text would be full of holes', () => {
  const secrets = new SecretTable({ A_KEY: 'abc' }, () => ({ PORT: '8080' }))
  expect(secrets.mask('abc runs on 8080')).toBe('abc runs on 8080')
})

test('a short value that is known to be secret is masked as a whole word, a setting is not', () => {
  const env = { SIM_PIN: '4711', DOOR_TOKEN: '1234', X_TOKEN: 'true', Y_KEY: 'abc' }
  const secrets = new SecretTable(env, () => ({ GATE_KEY: 'a-b1', PORT: '8080' }))
  secrets.declare(['SIM_PIN'])
  secrets.protect('9*9*')
  expect(secrets.mask('4711 and 1234, 51234, true, abc, a-b1; 8080 9*9*')).toBe(
    '*** and ***, 51234, true, abc, ***; 8080 ***',
  )
})

test.for(['A_API_KEY', 'A_TOKEN', 'A_SECRET', 'A_PASSWORD', 'A_KEY', 'API_KEY', 'SECRET', 'PASSWORD'])(
  'the variable %s of the environment is masked by its name',
  (name) => {
    expect(new SecretTable({ [name]: 'canary-value' }, () => ({})).mask('a canary-value')).toBe('a ***')
  },
)

test('a secret that is part of another leaves nothing of the longer one to be seen', () => {
  const secrets = new SecretTable({ A_KEY: 'secret-1', B_KEY: 'secret-1-and-more' }, () => ({}))
  expect(secrets.mask('it is secret-1-and-more')).not.toContain('and-more')
})

test('a value that was changed in .env is masked from then on', () => {
  let dotenv: Record<string, string> = {}
  const secrets = new SecretTable({}, () => dotenv)
  expect(secrets.mask('new-secret')).toBe('new-secret')
  dotenv = { A_KEY: 'new-secret' }
  expect(secrets.mask('new-secret')).toBe('***')
})

test('a secret with blanks around it in the environment is masked as it is used', () => {
  const secrets = new SecretTable({ A_KEY: ' sk-123456 ' }, () => ({}))
  expect(secrets.mask('key=sk-123456.')).toBe('key=***.')
})

test('a value that is kept elsewhere is masked from the moment it is protected', () => {
  const secrets = new SecretTable({}, () => ({}))
  expect(secrets.mask('a pool-secret')).toBe('a pool-secret')
  secrets.protect('pool-secret')
  secrets.protect('abc')
  expect(secrets.mask('a pool-secret, abc')).toBe('a ***, abc')
  expect([secrets.get('pool-secret'), secrets.source('pool-secret')]).toEqual([undefined, undefined])
})

test('what a plugin declares as secret is masked, whatever it is called', () => {
  const table = new SecretTable({ AWS_BEARER_TOKEN_BEDROCK: 'bearer-of-bedrock' }, () => ({}))
  expect(table.mask('it is bearer-of-bedrock')).toContain('bearer-of-bedrock')
  table.declare(['AWS_BEARER_TOKEN_BEDROCK'])
  expect(table.mask('it is bearer-of-bedrock')).toBe('it is ***')
})

test('what is protected or declared after a text was masked is masked from then on, with the same .env', () => {
  const dotenv = { A_KEY: 'of-dotenv' }
  const table = new SecretTable({ SIM_PIN: 'pin-of-sim' }, () => dotenv)
  const text = 'of-dotenv pin-of-sim of-the-pool'
  expect(table.mask(text)).toBe('*** pin-of-sim of-the-pool')
  table.protect('of-the-pool')
  expect(table.mask(text)).toBe('*** pin-of-sim ***')
  table.declare(['SIM_PIN'])
  expect(table.mask(text)).toBe('*** *** ***')
})
