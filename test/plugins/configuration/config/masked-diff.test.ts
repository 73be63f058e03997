import { YamlEditor } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigText } from '../../../../plugins/configuration/config/config-text.ts'
import { envDiff, yamlDiff } from '../../../../plugins/configuration/config/masked-diff.ts'

const whole = { type: 'object', properties: { licence: { type: 'string', secret: true } } }

async function createDiff(before: string | undefined, after: string | undefined): Promise<string> {
  const kernel = await testKernel({ plugins: ['config'] })
  onTestFinished(() => kernel.stop())
  return yamlDiff('config.yaml', [before, after], new ConfigText(kernel.use(YamlEditor), 'config.yaml'), whole)
}

const lines = (diff: string) => diff.split('\n').slice(3, -1)

test('a key that was commented out is not seen in a diff, whatever it is called', async () => {
  const before = '# api_key: canary-1\na: 1\n#   botToken = canary-2\n# db-password:canary-3 # or canary-4\nb: 1\n'
  expect(lines(await createDiff(before, before.replace('a: 1', 'a: 2')))).toEqual([
    ' # api_key: ***',
    '-a: 1',
    '+a: 2',
    ' #   botToken = ***',
    ' # db-password:***',
  ])
})

test('a file that cannot be parsed is seen in a diff as stars only', async () => {
  const diff = await createDiff('a: canary-1\n', 'a: [canary-2\nb: canary-3\n')
  expect(lines(diff)).toEqual(['-a: canary-1', '+***', '+***'])
  expect(lines(await createDiff('a: [canary-2\n', undefined))).toEqual(['-***'])
})

test('a secret that was changed shows as a changed line, and neither value is seen', async () => {
  const diff = await createDiff('x: 1\nmodel:\n  api_key: canary-1\n', 'x: 1\nmodel:\n  api_key: canary-2\n')
  expect(lines(diff)).toEqual([' x: 1', ' model:', '-  api_key: ***', '+  api_key: ***'])
})

test('what the schema calls a secret is not seen, a reference, a switch and nothing are', async () => {
  const after =
    'licence: canary-1\ntoken: ${BOT_TOKEN}\nsecret: true\npassword:\nkey: "canary-2"\napi_key: x${A}canary-3\n'
  expect(lines(await createDiff('', after))).toEqual([
    '+licence: ***',
    '+token: ${BOT_TOKEN}',
    '+secret: true',
    '+password:',
    '+key: "canary-2"',
    '+api_key: ***',
  ])
})

test('a secret of several lines is not seen in any of them, and the lines below are still the right ones', async () => {
  const key = 'private_key: |\n  canary-1\n  canary-2\nb: 1\n'
  expect(await createDiff(key, key.replace('b: 1', 'b: 2'))).not.toContain('canary')
  expect(lines(await createDiff(key, key.replace('b: 1', 'b: 2'))).slice(-2)).toEqual(['-b: 1', '+b: 2'])
})

test('no value of .env is seen in a diff, also of a line that was commented out', () => {
  const before = 'PORT=canary-1\n# OLD_TOKEN=canary-2\nA="canary-3\ncanary-4"\n'
  const diff = envDiff(before, `${before}B=canary-5\n`)
  expect(diff).not.toContain('canary')
  expect(diff).toContain('+B=***')
})
