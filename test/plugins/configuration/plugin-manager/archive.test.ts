import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { packFiles } from '../../../support/npm-registry.ts'
import { pluginFiles, plugins, pluginsJson, temporaryFolder } from './support.ts'

vi.setConfig({ testTimeout: 60_000 })

const yes = ['--yes', '--no-verify']

/** Serves one archive with an ETag, as RFC 9110 has it: a request that names it is answered with 304. */
async function serve(first: Buffer) {
  let body = first
  const answers: number[] = []
  const server = createServer((request, response) => {
    const etag = `"${createHash('sha1').update(body).digest('hex')}"`
    const redirect = request.url === '/moved.tgz'
    const status = redirect
      ? 302
      : request.url !== '/hello.tgz'
        ? 404
        : request.headers['if-none-match'] === etag
          ? 304
          : 200
    answers.push(status)
    response.writeHead(status, redirect ? { location: '/hello.tgz' } : { etag })
    response.end(status === 200 ? body : undefined)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())))
  const put = (next: Buffer) => {
    body = next
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, answers, put }
}

const release = (version: string) => packFiles(pluginFiles('hello', { version }))

test('an archive is fetched from an address, asked for by its ETag, and updated when its content differs', async () => {
  const home = temporaryFolder()
  const server = await serve(release('1.0.0'))
  expect(await plugins(home, ['install', `${server.url}moved.tgz`, ...yes])).toMatchObject({ code: 0, err: '' })
  expect(await pluginsJson(home, ['info', 'hello'])).toMatchObject({ origin: 'home', status: 'available' })
  expect(await pluginsJson(home, ['outdated'])).toMatchObject([{ status: 'current' }])
  expect(server.answers.at(-1)).toBe(304)
  server.put(release('1.1.0'))
  expect(await pluginsJson(home, ['outdated'])).toMatchObject([{ status: 'newer' }])
  expect((await plugins(home, ['update', 'hello', ...yes])).out).toContain('hello is 1.1.0 now')
})

test('the digest that the user demands is compared before anything is unpacked', async () => {
  const home = temporaryFolder()
  const archive = release('1.0.0')
  const server = await serve(archive)
  const digest = createHash('sha256').update(archive).digest('hex')
  const wrong = await plugins(home, ['install', `${server.url}hello.tgz#sha256=${'0'.repeat(64)}`, ...yes])
  expect(wrong.err).toContain(`has the SHA-256 ${digest}`)
  expect((await plugins(home, ['install', `${server.url}none.tgz`, ...yes])).err).toContain('the server answered 404')
  expect((await plugins(home, ['install', 'http://example.com/x.tgz', ...yes])).err).toContain('is not encrypted')
  expect((await plugins(home, ['install', `${server.url}hello.tgz#md5=1`, ...yes])).err).toContain('is not a digest')
  expect(existsSync(join(home, 'plugins'))).toBe(false)
  expect(await plugins(home, ['install', `${server.url}hello.tgz#sha256=${digest}`, ...yes])).toMatchObject({ code: 0 })
})

interface Entry {
  readonly name: string
  readonly type?: string
  readonly text?: string
  readonly size?: number
}

/** A header of POSIX ustar, with its check sum, and the content. */
function writeEntry({ name, type = '0', text = '', size = text.length }: Entry): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write('0000644\0', 100)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(type, 156)
  header.write('/etc/passwd', 157)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)])
}

function archive(...entries: Entry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.map(writeEntry), Buffer.alloc(1024)]))
}

const fine: Entry[] = [
  { name: 'package/package.json', text: '{"name":"svc-plugin-hello","keywords":["svc-plugin"]}' },
  ...Object.entries(pluginFiles('hello')).map(([name, text]) => ({ name: `package/${name}`, text })),
]
/** For records of 10 to 95 bytes: the length counts its two digits, the blank and the line feed. */
const pax = (record: string) => `${record.length + 4} ${record}\n`

test.for([
  [
    'a path that leads out',
    archive(...fine, { name: 'package/../../evil.js' }),
    /"package\/..\/..\/evil.js" leads out/,
  ],
  ['an absolute path', archive(...fine, { name: '/tmp/evil.js' }), /leads out/],
  ['a path of Windows', archive(...fine, { name: 'package\\..\\evil.js' }), /leads out/],
  [
    'a long name that leads out',
    archive({ name: 'x', type: 'x', text: pax('path=package/../../e') }, ...fine),
    /leads out/,
  ],
  ['a symbolic link', archive(...fine, { name: 'package/link', type: '2' }), /is a symbolic link/],
  ['a hard link', archive(...fine, { name: 'package/link', type: '1' }), /is a hard link/],
  ['a device', archive(...fine, { name: 'package/zero', type: '3' }), /is a device/],
  ['a named pipe', archive(...fine, { name: 'package/pipe', type: '6' }), /is a named pipe/],
  ['the same file twice', archive(...fine, ...fine), /twice/],
  ['half a file', gzipSync(writeEntry({ name: 'package/a', size: 9999 })), /ends in the middle/],
  ['nothing in it', archive(), /there are no files/],
  ['another format', Buffer.from('PK\x03\x04'), /is not a gzipped tar archive/],
  ['a bomb', gzipSync(Buffer.alloc(120 * 2 ** 20)), /unpacked it is over/],
] as const)('an archive with %s is refused, and nothing of it is written', async ([, bytes, reason]) => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const file = join(folder, 'x.tgz')
  writeFileSync(file, bytes)
  const { code, err } = await plugins(home, ['install', file, ...yes])
  expect(code).toBe(1)
  expect(err).toMatch(reason)
  expect(existsSync(join(home, 'npm'))).toBe(false)
  expect(existsSync(join(home, 'plugins'))).toBe(false)
})

test('an archive that only svc wrote by hand is sound without the bad entries', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const file = join(folder, 'x.tgz')
  writeFileSync(file, archive({ name: 'pax_global_header', type: 'g', text: pax('comment=abc') }, ...fine))
  expect(await plugins(home, ['install', file, ...yes])).toMatchObject({ code: 0, err: '' })
})

test('a package whose install script would have to run is named with the reason; one with compiled code is not', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const library = (name: string, more: Readonly<Record<string, string>>) => {
    const scripts = { install: 'node-gyp rebuild' }
    const manifest = { name, version: '1.0.0', main: 'index.js', scripts }
    const file = join(folder, `${name}.tgz`)
    writeFileSync(file, packFiles({ 'package.json': JSON.stringify(manifest), 'index.js': '', ...more }))
    return `file:${file}`
  }
  const dependencies = {
    'built-here': library('built-here', {}),
    prebuilt: library('prebuilt', { 'prebuilds/linux-x64/node.napi.node': 'compiled' }),
  }
  const fields = {
    name: 'svc-plugin-hello',
    version: '1.0.0',
    main: 'index.js',
    keywords: ['svc-plugin'],
    dependencies,
  }
  const file = join(folder, 'hello.tgz')
  writeFileSync(file, packFiles({ 'package.json': JSON.stringify(fields), ...pluginFiles('hello') }))
  vi.stubEnv('npm_config_offline', 'true')
  vi.stubEnv('npm_config_cache', temporaryFolder())
  const { code, out, err } = await plugins(home, ['install', file, ...yes])
  vi.unstubAllEnvs()
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/built-here would have to run an install script, and svc runs none: native code works only where/)
  expect(out).not.toMatch(/prebuilt.* would have to run/)
})
