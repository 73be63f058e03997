import { errorCode } from 'svc/sdk'
import { expect, test } from 'vitest'
import { checkTarget, type TargetRule } from '../../../../plugins/safety/address-guard/target.ts'

const secret = 'correct-horse-battery'
const rule: TargetRule = { allowPrivate: false, mask: (text) => text.replaceAll(secret, '***') }

function problem(text: string, from: 'model' | 'server' = 'model', more: Partial<TargetRule> = {}): string | undefined {
  try {
    checkTarget(text, from, { ...rule, ...more })
    return undefined
  } catch (error) {
    expect(errorCode(error)).toBe('URL_FORBIDDEN')
    return (error as Error).message
  }
}

test.for([
  ['file:///etc/passwd', 'only http and https'],
  ['ftp://example.com/', 'only http and https'],
  ['javascript:alert(1)', 'only http and https'],
  ['http://', 'is not a web address'],
  ['example.com', 'is not a web address'],
  ['', 'is not a web address'],
  ['https://user@example.com/', 'user name or password'],
  ['https://:word@example.com/', 'user name or password'],
  ['http://localhost:8080/', 'private or reserved'],
  ['http://app.LocalHost./', 'private or reserved'],
  ['http://metadata.google.internal/computeMetadata/v1/', 'keys of this machine'],
  ['http://METADATA.google.internal./', 'keys of this machine'],
  [`https://example.com/${'a'.repeat(9000)}`, 'over 8192 characters'],
] as const)('%s is refused with the reason', ([text, reason]) => {
  expect(problem(text)).toContain(reason)
})

test('ordinary addresses are let through', () => {
  for (const text of [
    'https://example.com',
    'http://example.com:8080/a/b?page=2&key=title&q=how+to+keep+a+secret#token-section',
    'https://xn--bcher-kva.example/?monkey=1&tokens=4096&author=me&passage=2&design=x',
    'https://bücher.example/ü?q=日本',
    'https://8.8.8.8/dns-query',
  ])
    expect(problem(text)).toBeUndefined()
})

test.for(
  'token access_token api_key apikey X-API-Key client_secret password PWD sig X-Amz-Signature auth jwt session_id'.split(
    ' ',
  ),
)('a parameter called %s looks like a secret, in the query and behind the #', (name) => {
  expect(problem(`https://example.com/?a=1&${name}=v1`)).toContain(`"${name}" looks like a secret`)
  expect(problem(`https://example.com/#${name}=v1`)).toContain('looks like a secret')
  expect(problem(`https://example.com/?${name}=`)).toBeUndefined()
})

test('a server may sign the address it sends to, and the model may not', () => {
  const signed = 'https://cdn.example.com/file?X-Amz-Signature=abcdef'
  expect(problem(signed, 'server')).toBeUndefined()
  expect(problem(signed, 'model')).toBeDefined()
})

test.for([
  `https://example.com/?q=${secret}`,
  `https://example.com/${secret}/x`,
  `https://${secret}.example.com/`,
  `https://example.com/?q=${[...secret].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')}`,
  `https://example.com/?q=sk-${'a1'.repeat(12)}`,
  `https://example.com/?q=ghp_${'a1'.repeat(12)}`,
])('a secret is found wherever it stands and is not repeated: %s', (text) => {
  const said = problem(text)
  expect(said).toMatch(/holds (a secret of the user|what looks like a key)/)
  expect(said?.replace(/^\S+/, '')).not.toContain(secret)
  expect(said).not.toContain('a1a1')
})

test('a short value of .env is a word like any other', () => {
  expect(problem('https://github.com/x', 'model', { mask: (text) => text.replaceAll('github', '***') })).toBeUndefined()
})

test('only what the user can allow is said to be a matter of the setting', () => {
  expect(problem('http://10.0.0.1/')).toContain('security.allow_private_urls')
  expect(problem('http://169.254.169.254/')).not.toContain('security.allow_private_urls')
  expect(problem('http://10.0.0.1/', 'model', { allowPrivate: true })).toBeUndefined()
  expect(problem('http://localhost/', 'model', { allowPrivate: true })).toBeUndefined()
  expect(problem('http://0x0a000001/', 'model', { allowPrivate: true })).toBeUndefined()
})
