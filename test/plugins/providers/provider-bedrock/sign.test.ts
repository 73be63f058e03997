import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AwsV4Signer } from 'aws4fetch'
import fc from 'fast-check'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { signedHeaders, type Unsigned } from '../../../../plugins/providers/provider-bedrock/sign.ts'
import { ask, collectFailure, joinText } from '../../../support/ask-model.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { open, provider, serve } from './ask.ts'

/** The credentials of all examples of AWS. */
const keys = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', source: 'test' }
const now = Date.UTC(2015, 7, 30, 12, 36)

/** Published with Signature Version 4: its test suite, and the worked example of the IAM user guide. */
test.for<[string, Unsigned, string, string]>([
  [
    'get-vanilla',
    { method: 'GET', url: 'https://example.amazonaws.com/', headers: {} },
    'service',
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'post-vanilla',
    { method: 'POST', url: 'https://example.amazonaws.com/', headers: {} },
    'service',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'get-vanilla-query-order-key-case',
    { method: 'GET', url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1', headers: {} },
    'service',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'the example of the IAM user guide',
    {
      method: 'GET',
      url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    },
    'iam',
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  ],
])('%s is signed as AWS publishes it', ([, unsigned, service, signature]) => {
  const { authorization = '' } = signedHeaders(unsigned, keys, { region: 'us-east-1', service, now })
  expect(authorization.slice(authorization.indexOf('Signature='))).toBe(`Signature=${signature}`)
})

/** What an independent signer makes of the same request. */
async function independent({ method, url, headers, body }: Unsigned, sessionToken: string): Promise<string> {
  const signer = new AwsV4Signer({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body }),
    accessKeyId: keys.id,
    secretAccessKey: keys.secret,
    sessionToken,
    service: 'bedrock',
    region: 'eu-central-1',
    datetime: '20150830T123600Z',
    allHeaders: true,
  })
  return (await signer.sign()).headers.get('authorization') ?? ''
}

test('models with strange names, queries and bodies are signed as an independent signer does it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 1 }).filter((name) => !/^\.+$/.test(name)),
      fc.dictionary(fc.string({ minLength: 1 }), fc.string()),
      fc.string({ unit: 'grapheme' }),
      async (model, query, body) => {
        const search = new URLSearchParams(query).toString()
        const url = `https://bedrock-runtime.eu-central-1.amazonaws.com/model/${encodeURIComponent(model)}/converse-stream${search === '' ? '' : `?${search}`}`
        const unsigned = { method: 'POST', url, body, headers: { 'content-type': 'application/json' } } as const
        const signed = signedHeaders(
          unsigned,
          { ...keys, sessionToken: 'dG9rZW4=' },
          { region: 'eu-central-1', service: 'bedrock', now },
        )
        expect(signed['authorization']).toBe(await independent(unsigned, 'dG9rZW4='))
      },
    ),
  )
})

const env = { AWS_ACCESS_KEY_ID: keys.id, AWS_SECRET_ACCESS_KEY: keys.secret, AWS_REGION: 'eu-central-1' }
const at = (url: string, more: Record<string, string>) =>
  open({ config: { providers: { bedrock: { base_url: url } } }, env: more, clock: virtualClock(now) })

test('access keys of AWS sign every request to Bedrock, and the service takes the signature', async () => {
  const server = await serve({ access: { ...keys, region: 'eu-central-1' } })
  const asked = provider(await at(server.url, env))
  expect(await asked.status()).toEqual({
    ready: true,
    detail: 'requests are signed with AWS_ACCESS_KEY_ID, region eu-central-1',
  })
  expect(joinText(await ask(asked, { model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' }))).toBe('Hello.')
  expect((await asked.models()).length).toBeGreaterThan(0)
  expect(JSON.stringify(server.requests)).not.toContain(keys.secret)
})

test('a wrong secret is told with the key that it belongs to, and is shown to no one', async () => {
  const server = await serve({ access: { ...keys, region: 'eu-central-1' } })
  const secret = 'another-secret-of-some-length'
  const failure = await collectFailure(provider(await at(server.url, { ...env, AWS_SECRET_ACCESS_KEY: secret })))
  expect(failure).toMatchObject({ kind: 'auth', retryable: false })
  expect(failure.message).toMatch(/did not accept the key in AWS_ACCESS_KEY_ID: The request signature/)
  expect(failure.message).not.toContain(secret)
})

test('a key without its secret is told before anything is sent', async () => {
  const server = await serve()
  const asked = provider(await at(server.url, { AWS_ACCESS_KEY_ID: keys.id }))
  expect(await asked.status()).toEqual({ ready: false, detail: 'AWS_ACCESS_KEY_ID has no secret access key' })
  expect(await collectFailure(asked)).toMatchObject({ kind: 'auth' })
  expect(server.requests).toEqual([])
})

test('an API key of Bedrock comes before access keys', async () => {
  const server = await serve()
  expect(joinText(await ask(provider(await at(server.url, { ...env, AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key' }))))).toBe(
    'Hello.',
  )
  expect(server.requests[0]?.headers.authorization).toBe('Bearer bedrock-key')
})

test('a profile is read when it is named; without a name the chain of AWS has the default one', async () => {
  const file = join(temporaryFolder(), 'credentials')
  writeFileSync(
    file,
    `[default]\naws_access_key_id = other\naws_secret_access_key = other\n\n# of the team\n[ team ]\naws_access_key_id=${keys.id}\r\naws_secret_access_key = ${keys.secret}\naws_session_token = dG9rZW4=\n`,
  )
  const server = await serve({ access: { ...keys, region: 'us-east-1', sessionToken: 'dG9rZW4=' } })
  const named = { AWS_SHARED_CREDENTIALS_FILE: file }
  expect(joinText(await ask(provider(await at(server.url, { ...named, AWS_PROFILE: 'team' }))))).toBe('Hello.')
  expect(await provider(await at(server.url, { ...named, AWS_PROFILE: 'nobody' })).status()).toMatchObject({
    ready: false,
    detail: expect.stringMatching(/AWS_PROFILE is "nobody", which has no aws_access_key_id/),
  })
  expect(await provider(await at(server.url, named)).status()).toMatchObject({
    ready: true,
    detail: expect.stringContaining('the credential chain of AWS is asked'),
  })
})
