/** The format of entries: what is read, and what is refused with which words. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCatalogs } from '../../../../plugins/mcp/mcp-catalog/catalog.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const GOOD = `manifest_version: 1
description: Looks at clouds.
transport: { type: stdio, command: npx, args: [-y, clouds@1.2.3], version: 1.2.3 }
`

function writeEntry(folder: string, name: string, text: string): string {
  const dir = join(folder, name)
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'manifest.yaml'), text)
  return dir
}

async function readOne(text: string, name = 'clouds', more: (dir: string) => void = () => undefined) {
  const folder = temporaryFolder()
  more(writeEntry(folder, name, text))
  const { entries, diagnostics } = await readCatalogs([folder])
  expect(entries.length + diagnostics.length).toBe(1)
  return { entry: entries[0], problem: diagnostics[0] }
}

test('an entry has all the fields of version 1, and what is left out has its usual value', async () => {
  const { entry } = await readOne(`${GOOD}name: clouds
source: https://example.com/clouds
auth:
  type: api_key
  env: [{ name: CLOUD_API_KEY, prompt: Key of the cloud service }, { name: CLOUD_REGION, required: false, secret: false, default: eu }]
tools: { default_enabled: [look, count] }
install: { type: git, url: https://example.com/clouds.git, ref: v1.2.3, bootstrap: [npm ci] }
post_install: |
  Look up.
`)
  expect(entry).toEqual({
    manifest_version: 1,
    name: 'clouds',
    description: 'Looks at clouds.',
    source: 'https://example.com/clouds',
    transport: { type: 'stdio', command: 'npx', args: ['-y', 'clouds@1.2.3'], version: '1.2.3', env: {} },
    auth: {
      type: 'api_key',
      env: [
        { name: 'CLOUD_API_KEY', prompt: 'Key of the cloud service', required: true, secret: true },
        { name: 'CLOUD_REGION', required: false, secret: false, default: 'eu' },
      ],
    },
    tools: { default_enabled: ['look', 'count'] },
    install: { type: 'git', url: 'https://example.com/clouds.git', ref: 'v1.2.3', bootstrap: ['npm ci'] },
    post_install: 'Look up.\n',
  })
  expect((await readOne(GOOD)).entry).toMatchObject({ name: 'clouds', auth: { type: 'none' }, tools: {} })
})

test('transport and auth may be single words, with the fields of the transport beside them', async () => {
  const stdio = 'manifest_version: 1\ndescription: A\ntransport: stdio\ncommand: uvx\nargs: [a==1]\nauth: none\n'
  const http = 'manifest_version: 1\ndescription: A\ntransport: http\nurl: https://example.com/mcp\nauth: oauth\n'
  expect((await readOne(stdio)).entry).toMatchObject({ transport: { type: 'stdio', command: 'uvx', args: ['a==1'] } })
  expect((await readOne(http)).entry).toMatchObject({
    transport: { type: 'http', url: 'https://example.com/mcp' },
    auth: { type: 'oauth', scopes: [] },
  })
})

test('a manifest of a newer version is left out with the advice to get a newer release, whatever else it holds', async () => {
  const { problem } = await readOne('manifest_version: 2\ntransport: { type: pigeon }\n')
  expect(problem).toMatchObject({ name: 'clouds', kind: 'future_manifest' })
  expect(problem?.message).toMatch(/version 2.* needs a newer release of svc/)
})

const REFUSED: Readonly<Record<string, readonly [change: string, words: RegExp]>> = {
  'no version': [GOOD.replace('manifest_version: 1\n', ''), /manifest_version: is missing/],
  'a version that is no number': [GOOD.replace('1\n', 'one\n'), /manifest_version: /],
  'no description': [GOOD.replace(/description.*\n/, ''), /description: is missing/],
  'no transport': [GOOD.replace(/transport.*\n/, ''), /transport: is missing/],
  'an unknown transport': [GOOD.replace('stdio', 'pigeon'), /transport\.type: /],
  'no command': [GOOD.replace('command: npx, ', ''), /transport\.command: is missing/],
  'no address': [GOOD.replace(/transport.*/, 'transport: { type: http }'), /transport\.url: is missing/],
  'an address without TLS': [
    GOOD.replace(/transport.*/, 'transport: { type: http, url: http://example.com }'),
    /transport\.url: must be an https address/,
  ],
  'an API key without a variable': [`${GOOD}auth: api_key\n`, /auth\.env: is missing/],
  'a key in a variable that steers programs': [
    `${GOOD}auth: { type: api_key, env: [{ name: LD_PRELOAD }] }\n`,
    /auth\.env\.0\.name: must not be a variable that changes how programs run/,
  ],
  'another name than that of its folder': [`${GOOD}name: other\n`, /name: is "other", and the folder is "clouds"/],
  'a name that leads out': [`${GOOD}name: ../clouds\n`, /name: must be letters/],
  'a command outside of the clone': [
    GOOD.replace('npx', '../../bin/run'),
    /transport\.command: must be the name of a program/,
  ],
  'an argument that leads out of the clone': [
    `${GOOD.replace('clouds@1.2.3', '"${INSTALL_DIR}/../../.env"')}install: { type: git, url: https://example.com/a.git, ref: main }\n`,
    /transport\.args\.1: leads out of \$\{INSTALL_DIR\}/,
  ],
  'the folder of a clone that there is not': [
    GOOD.replace('clouds@1.2.3', '"${INSTALL_DIR}/a.js"'),
    /install: is missing/,
  ],
  'a ref that is an option': [
    `${GOOD}install: { type: git, url: https://example.com/a.git, ref: --upload-pack=touch }\n`,
    /install\.ref: must be a branch, a tag or a commit/,
  ],
  'a repository over a protocol that runs programs': [
    `${GOOD}install: { type: git, url: "ext::sh -c id", ref: main }\n`,
    /install\.url: must be an address of git/,
  ],
  'a password in the address of the repository': [
    `${GOOD}install: { type: git, url: "https://me:secret@example.com/a.git", ref: main }\n`,
    /install\.url: must be an address of git without a password/,
  ],
  'an icon outside of the entry': [`${GOOD}icon: ../../secret.png\n`, /icon: must be a file beside the manifest/],
  'an icon that is not there': [`${GOOD}icon: icon.svg\n`, /icon: icon\.svg is missing/],
  'control characters in a text': [GOOD.replace('Looks at clouds.', '"clouds\\e[2J"'), /description: must be one line/],
  'a text that is not YAML': ['manifest_version: 1\n  description: [a\n', /manifest\.yaml is not YAML/],
  'a list': ['- a\n', /cannot be used/],
  nothing: ['', /cannot be used/],
  'more than a manifest can hold': [`${GOOD}post_install: ${'a'.repeat(70_000)}\n`, /manifest\.yaml has \d+ bytes/],
}

test.for(Object.entries(REFUSED))(
  'an entry with %s is refused, and the message says what and where',
  async ([, [text, words]]) => {
    const { entry, problem } = await readOne(text)
    expect(entry).toBeUndefined()
    expect(problem).toMatchObject({ kind: 'invalid_manifest', message: expect.stringMatching(words) })
    expect(problem?.message).toContain('clouds')
  },
)

test('bytes that are no text, deep aliases and a folder with a strange name are refused', async () => {
  const binary = await readOne(GOOD, 'clouds', (dir) =>
    writeFileSync(join(dir, 'manifest.yaml'), Buffer.from([0xff, 0xfe])),
  )
  expect(binary.problem?.kind).toBe('invalid_manifest')
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x]',
    ...'bcdefg'.split('').map((name, at) => {
      const from = 'abcdef'[at]
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${from}`).join(',')}]`
    }),
  ].join('\n')
  expect((await readOne(`${GOOD}${bomb}\n`)).problem?.message).toMatch(/alias/i)
  expect((await readOne(GOOD, 'a b')).problem?.message).toMatch(/the folder must be named with letters/)
})

test('huge icons and icons that are no pictures are refused, and a small one is fine', async () => {
  const withIcon = (name: string, bytes: number) =>
    readOne(`${GOOD}icon: ${name}\n`, 'clouds', (dir) => writeFileSync(join(dir, name), Buffer.alloc(bytes)))
  expect((await withIcon('icon.png', 300_000)).problem?.message).toMatch(
    /icon: icon\.png has 300000 bytes, and 262144 are allowed/,
  )
  expect((await withIcon('icon.sh', 10)).problem?.message).toMatch(/icon\.sh is not a picture/)
  expect((await withIcon('icon.svg', 10)).entry).toMatchObject({ icon: 'icon.svg' })
})

test('symbolic links are not followed: neither an entry, nor its manifest, nor its icon', async () => {
  const folder = temporaryFolder()
  const outside = temporaryFolder()
  const elsewhere = writeEntry(outside, 'linked', GOOD)
  symlinkSync(elsewhere, join(folder, 'linked'))
  mkdirSync(join(folder, 'half'))
  symlinkSync(join(elsewhere, 'manifest.yaml'), join(folder, 'half', 'manifest.yaml'))
  symlinkSync(
    join(elsewhere, 'manifest.yaml'),
    join(writeEntry(folder, 'iconic', `${GOOD}icon: icon.png\n`), 'icon.png'),
  )
  const { entries, diagnostics } = await readCatalogs([folder])
  expect(entries).toEqual([])
  expect(diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining('half cannot be used: manifest.yaml is a symbolic link'),
    expect.stringContaining('iconic cannot be used: icon: icon.png is a symbolic link'),
    expect.stringContaining('linked cannot be used: its folder is a symbolic link'),
  ])
})

test('one bad entry keeps no other from being read, files beside entries are nothing, and the first of two names wins', async () => {
  const [first, second] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(first, 'README.md'), '# Entries')
  mkdirSync(join(first, 'empty'))
  writeEntry(first, 'a', GOOD)
  writeEntry(first, 'b', 'nothing')
  writeEntry(second, 'a', GOOD.replace('clouds.', 'others.'))
  writeEntry(second, 'c', GOOD)
  const { entries, diagnostics } = await readCatalogs([first, second, join(first, 'not-there')])
  expect(entries.map(({ name, description }) => [name, description])).toEqual([
    ['a', 'Looks at clouds.'],
    ['c', 'Looks at clouds.'],
  ])
  expect(diagnostics.map(({ name }) => name)).toEqual(['b', 'empty', 'a'])
})
