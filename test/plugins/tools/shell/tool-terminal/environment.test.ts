import { expect, test } from 'vitest'
import { childEnvironment } from '../../../../../plugins/tools/shell/tool-terminal/environment.ts'

const nothing = (text: string) => text

test('variables that are named like secrets do not reach commands, in any case of letters', () => {
  const secrets = { OPENAI_API_KEY: '1', GITHUB_TOKEN: '2', my_password: '3', CLIENT_SECRET: '4', AWS_SECRET_KEY: '5' }
  const harmless = { EDITOR: 'vi', TOKENS_USED: '3', KEYBOARD: 'de', SECRETARY: 'Ada' }
  expect(childEnvironment({ ...secrets, ...harmless }, [], nothing)).toEqual({ ...harmless, TERM: 'dumb' })
})

test.for([
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'],
  ...['AWS_WEB_IDENTITY_TOKEN_FILE', 'GOOGLE_APPLICATION_CREDENTIALS', 'AZURE_CLIENT_SECRET', 'DOCKER_AUTH_CONFIG'],
  ...['PGPASSWORD', 'MYSQL_PWD', 'SSHPASS', 'SMTP_PASS', 'GH_PAT', 'GPG_PASSPHRASE', 'NPM_AUTH', 'SERVICE_APIKEY'],
  ...['SECRET_KEY_BASE', 'API_KEY', 'BEARER_TOKEN', 'SESSION_COOKIE', 'AZURE_STORAGE_CONNECTION_STRING'],
  ...[
    'ANTHROPIC_API_KEY_2',
    'SIGNING_KEY',
    'ENCRYPTION_KEY',
    'SLACK_WEBHOOK_URL',
    'VAULT_SECRET_ID',
    'FASTLANE_SESSION',
  ],
])('commands do not inherit %s', (name) => {
  expect(childEnvironment({ [name]: 'x' }, [], nothing)).toEqual({ TERM: 'dumb' })
  expect(childEnvironment({ [name]: 'x' }, [name], nothing)).toEqual({ [name]: 'x', TERM: 'dumb' })
})

test('settings of the same services that open nothing are kept', () => {
  const kept = {
    AWS_REGION: 'eu-west-1',
    AWS_PROFILE: 'dev',
    AWS_PAGER: '',
    SSH_AUTH_SOCK: '/run/agent',
    GOPATH: '/go',
  }
  const words = {
    KEYMAP: 'de',
    MONKEY: '1',
    PASSENGER_ROOT: '/p',
    COMPASS: 'n',
    PATTERN: 'x',
    TOKENIZERS_PARALLELISM: 'false',
  }
  expect(childEnvironment({ ...kept, ...words }, [], nothing)).toEqual({ ...kept, ...words, TERM: 'dumb' })
})

test('an address with a password in it is left out', () => {
  const from = {
    DATABASE_URL: 'postgres://me:hunter22@db/x',
    HTTPS_PROXY: 'http://proxy:3128',
    REPO: 'ssh://git@host/x',
  }
  const { DATABASE_URL: _, ...kept } = from
  expect(childEnvironment(from, [], nothing)).toEqual({ ...kept, TERM: 'dumb' })
})

test('what a manifest declares as a secret is left out whatever it is called', () => {
  const from = { WEATHER_PIN: '1234', WEATHER_CITY: 'Rome' }
  const isDeclared = (name: string) => name === 'WEATHER_PIN'
  expect(childEnvironment(from, [], nothing, isDeclared)).toEqual({ WEATHER_CITY: 'Rome', TERM: 'dumb' })
  expect(childEnvironment(from, ['WEATHER_PIN'], nothing, isDeclared)).toEqual({ ...from, TERM: 'dumb' })
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
