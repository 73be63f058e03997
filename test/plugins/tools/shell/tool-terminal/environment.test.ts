import { expect, test } from 'vitest'
import { childEnvironment } from '../../../../../plugins/tools/shell/tool-terminal/environment.ts'

const nothing = (text: string) => text

test('variables that are named like secrets do not reach commands, in any case of letters', () => {
  const secrets = { OPENAI_API_KEY: '1', GITHUB_TOKEN: '2', my_password: '3', CLIENT_SECRET: '4', AWS_SECRET_KEY: '5' }
  const harmless = { EDITOR: 'vi', TOKENS_USED: '3', KEYBOARD: 'de', SECRETARY: 'Ada' }
  expect(childEnvironment({ ...secrets, ...harmless }, [], nothing)).toEqual({ ...harmless, TERM: 'dumb' })
})

test('a variable whose value holds a known secret is left out whatever it is called', () => {
  const mask = (text: string) => text.replaceAll('hunter22', '***')
  const from = { DATABASE_URL: 'postgres://me:hunter22@db/x', GREETING: 'hello', PATH: '/opt/hunter22/bin' }
  expect(childEnvironment(from, [], mask)).toEqual({ GREETING: 'hello', PATH: '/opt/hunter22/bin', TERM: 'dumb' })
})

test('what npm and Node left behind for svc itself is not handed on', () => {
  const from = { NODE_OPTIONS: '--inspect', npm_config_cache: '/c', npm_package_name: 'svc', INIT_CWD: '/', HOME: '/h' }
  expect(childEnvironment(from, [], nothing)).toEqual({ HOME: '/h', TERM: 'dumb' })
})

test('names that the user passes through are kept', () => {
  const from = { DEPLOY_TOKEN: 't', OTHER_TOKEN: 'o', NODE_OPTIONS: '--x' }
  expect(childEnvironment(from, ['DEPLOY_TOKEN', 'NODE_OPTIONS'], nothing)).toEqual({
    DEPLOY_TOKEN: 't',
    NODE_OPTIONS: '--x',
    TERM: 'dumb',
  })
})
