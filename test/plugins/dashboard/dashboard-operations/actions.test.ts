/** Work on the installation, followed: the built dashboard runs its commands as processes of their own. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WORK } from '../../../../plugins/dashboard/dashboard-operations/ops-routes.ts'
import { LIST } from '../../../../plugins/dashboard/dashboard-operations/profile-session-routes.ts'
import { runBuilt } from '../../../support/built.ts'
import { removeFolder } from '../../../support/remove-folder.ts'
import { findManifest, pluginNames } from '../../../support/repository.ts'
import { type DashboardProcess, startDashboard } from '../web-ui/stage.ts'

const SECRET = 'sk-proj-otters-are-secret-0123456789'

test('each action runs a command that a manifest names', () => {
  const commands = pluginNames().flatMap((name) =>
    (findManifest(name)?.cli ?? []).flatMap((one) => [
      one.name,
      ...(one.subcommands ?? []).map((sub) => `${one.name} ${sub}`),
    ]),
  )
  const run = [...WORK.map(({ command }) => command), LIST]
  expect(run.filter((command) => !commands.includes(command))).toEqual([])
})

describe('a dashboard', () => {
  let folder: string
  let home: string
  let server: DashboardProcess
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
    home = join(folder, 'home')
    mkdirSync(join(home, 'profiles/travel'), { recursive: true })
    writeFileSync(join(home, '.env'), `OPENAI_API_KEY=${SECRET}\n`, { mode: 0o600 })
    writeFileSync(join(home, 'config.yaml'), 'agent:\n  max_turns: 12\n')
    server = await startDashboard(home, folder)
  })
  afterAll(async () => {
    await server?.kill('SIGTERM')
    removeFolder(folder)
  })

  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: {
        'x-svc-session-token': server.token,
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    const bytes = new Uint8Array(await reply.arrayBuffer())
    const text = Buffer.from(bytes).toString('utf8')
    const isJson = reply.headers.get('content-type')?.startsWith('application/json')
    // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
    return { status: reply.status, bytes, text, json: (isJson ? JSON.parse(text) : undefined) as any }
  }
  /** Begins an action and waits for its end. */
  const follow = async (path: string, body: unknown = {}) => {
    const { status, json: begun, text } = await send('POST', path, body)
    expect([status, text]).toEqual([200, expect.stringContaining('"ok":true')])
    const ask = async () => (await send('GET', `/api/actions/${begun.name}/status?lines=5000`)).json
    await expect.poll(async () => (await ask()).running, { timeout: 60_000 }).toBe(false)
    return { begun, end: await ask() }
  }
  const pack = (file: Uint8Array, fields: Readonly<Record<string, string>> = {}) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new Blob([file as Uint8Array<ArrayBuffer>]), 'import.tar.gz')
    return form
  }

  test('checks are run by another process, whose findings are no failure, and a second one waits', async () => {
    const first = await send('POST', '/api/ops/doctor', {})
    expect(first.json).toMatchObject({ ok: true, name: 'doctor' })
    expect(first.json.pid).not.toBe(server.pid)
    expect(await send('POST', '/api/ops/doctor', {})).toMatchObject({ status: 409, json: { code: 'action' } })
    const status = async () => (await send('GET', '/api/actions/doctor/status')).json
    await expect.poll(async () => (await status()).running, { timeout: 60_000 }).toBe(false)
    const { lines, error, exit_code: code } = await status()
    expect([error, [0, 1].includes(code)]).toEqual([null, true])
    expect(lines.join('\n')).toMatch(/chmod 600 [\s\S]*warnings: \d/)
    const { actions } = (await send('GET', '/api/actions')).json
    expect(actions).toEqual([expect.objectContaining({ name: 'doctor', running: false })])
    expect((await send('POST', '/api/ops/doctor', { fix: 'yes' })).status).toBe(400)
  })

  test('the prompt is measured, and the state is written without keys, for another profile as well', async () => {
    expect((await follow('/api/ops/prompt-size')).end).toMatchObject({ exit_code: 0, error: null })
    const { end } = await follow('/api/ops/dump')
    expect(end.exit_code).toBe(0)
    const text = end.lines.join('\n')
    expect(text).toContain('== config.yaml')
    expect(text).not.toContain(SECRET)
    expect((await follow('/api/ops/dump?profile=travel')).end.lines.join('\n')).toContain('"isProfile": true')
    expect((await send('POST', '/api/ops/dump?profile=nowhere', {})).status).toBe(404)
    expect((await send('POST', '/api/ops/dump?profile=../home', {})).status).toBe(400)
  })

  test('sessions of all profiles are listed by their profiles, and a profile that cannot be read is named', async () => {
    mkdirSync(join(home, 'profiles/abroad'))
    for (const [profile, text] of [
      ['abroad', 'what is 2+2'],
      ['default', 'what is 3+3'],
    ] as const) {
      writeFileSync(join(home, 'profiles/abroad/config.yaml'), 'model: {provider: demo}\n')
      const argv = ['--profile', profile, 'chat', '-q', text, ...(profile === 'default' ? ['--provider', 'demo'] : [])]
      expect(runBuilt(argv, { home })).toMatchObject({ code: 0 })
    }
    const list = async (query = '') => (await send('GET', `/api/profiles/sessions${query}`)).json
    const all = await list()
    expect(all.sessions.map(({ profile, title }: Record<string, string>) => [profile, title])).toEqual([
      ['default', 'what is 3+3'],
      ['abroad', 'what is 2+2'],
    ])
    expect(all).toMatchObject({ total: 2, profile_totals: { default: 1, abroad: 1, travel: 0 }, errors: [] })
    expect((await list('?limit=1&offset=1')).sessions).toMatchObject([{ profile: 'abroad', source: 'cli' }])
    expect(await list('?profile=abroad')).toMatchObject({ total: 1, profile_totals: { abroad: 1 } })
    expect(await list('?source=telegram')).toMatchObject({ total: 0 })
    expect((await send('GET', '/api/profiles/sessions?profile=nowhere')).status).toBe(404)
    removeFolder(join(home, 'profiles/abroad/data'))
    writeFileSync(join(home, 'profiles/abroad/data'), 'not a folder')
    const broken = await list()
    expect(broken.sessions).toHaveLength(1)
    expect(broken.errors).toEqual([{ profile: 'abroad', error: expect.stringMatching(/\w{4}/) }])
    removeFolder(join(home, 'profiles/abroad'))
  })

  test('installed skills are looked up, and are updated only by a person who accepts that', async () => {
    const looked = await follow('/api/skills/hub/check', { diff: true })
    expect(looked.end).toMatchObject({ exit_code: 0, error: null })
    expect(looked.end.lines.join('\n')).toContain('No skills were installed from elsewhere')
    expect((await follow('/api/skills/hub/update', { accept: true })).end).toMatchObject({ exit_code: 0 })
  })

  test('a bundle for a bug report is a file of this machine, which is downloaded and sent nowhere', async () => {
    const { begun, end } = await follow('/api/ops/debug-share', { lines: 5 })
    expect(end).toMatchObject({ exit_code: 0, error: null })
    expect(begun).toMatchObject({ redacted: true, urls: [] })
    const path = '/api/ops/debug-share/download?file='
    const { status, bytes } = await send('GET', path + encodeURIComponent(begun.file))
    expect([status, Object.keys(unzipSync(bytes))]).toEqual([200, expect.arrayContaining(['doctor.json'])])
    expect(Buffer.from(bytes).toString('latin1')).not.toContain(SECRET)
    expect((await send('GET', path + encodeURIComponent(join(home, '.env')))).status).toBe(403)
    expect((await send('GET', `${path}none.zip`)).status).toBe(404)
  })

  test('a command that fails is told with its reason', async () => {
    writeFileSync(join(home, 'config.yaml'), 'agent:\n  max_turns: [\n')
    const { end } = await follow('/api/ops/config-migrate')
    expect(end).toMatchObject({ error: { code: 'DASHBOARD_COMMAND', message: expect.any(String) } })
    expect(end.exit_code).not.toBe(0)
    writeFileSync(join(home, 'config.yaml'), 'agent:\n  max_turns: 12\n')
    expect((await follow('/api/ops/config-migrate')).end.error).toBe(null)
  })

  test('a backup is made, listed, checked and downloaded, and nothing else of the machine is', async () => {
    const { begun, end } = await follow('/api/ops/backup')
    expect(end).toMatchObject({ exit_code: 0, error: null })
    expect(existsSync(begun.archive)).toBe(true)
    const { json } = await send('GET', '/api/ops/backups')
    expect(json.backups).toEqual([expect.objectContaining({ archive: begun.archive, encrypted: false })])
    const [{ name }] = json.backups
    expect((await follow('/api/ops/backup/verify', { archive: name })).end.lines.join()).toContain('is sound')
    const path = '/api/ops/backup/download?archive='
    const sent = await send('GET', path + name)
    expect([sent.status, Buffer.from(sent.bytes)]).toEqual([200, readFileSync(begun.archive)])
    for (const elsewhere of ['../home/.env', join(home, '.env'), `${home}-backups/../home/config.yaml`])
      expect((await send('GET', path + encodeURIComponent(elsewhere))).status).toBe(403)
    expect((await send('GET', `${path}svc-none.tar.gz`)).status).toBe(404)
    expect((await send('POST', '/api/ops/backup', { output: '../x' })).status).toBe(400)
    // Too short, which the command says: it was given.
    const { begun: sealed, end: refused } = await follow('/api/ops/backup', { output: 'svc-sealed', passphrase: 'wet' })
    expect(sealed.archive).toMatch(/-backups\/svc-sealed\.tar\.gz\.age$/)
    expect(refused.error.message).toMatch(/characters/)
    expect(existsSync(sealed.archive)).toBe(false)
  })

  test('an export is taken over into another profile after a yes; the home that runs is not exchanged', async () => {
    const file = join(folder, 'laptop.tar.gz')
    expect(runBuilt(['export', '--out', file, '--only', 'settings'], { home }).code).toBe(0)
    const bytes = readFileSync(file)
    const post = (path: string, fields?: Readonly<Record<string, string>>, part: Uint8Array = bytes) =>
      send('POST', `/api/ops/import-upload${path}`, pack(part, fields))
    expect(await post('')).toMatchObject({ status: 409, json: { code: 'import' } })
    const before = readdirSync(`${home}-backups`)
    expect((await post('', { force: 'true' }, Buffer.from('no archive'))).status).toBe(400)
    expect((await send('POST', '/api/ops/import-upload', { force: true })).status).toBe(400)
    expect(readdirSync(`${home}-backups`)).toEqual(before)
    const own = await post('', { force: 'true' })
    expect(own.json).toMatchObject({ ok: false, pid: null, error: 'home_in_use', uploaded_bytes: bytes.length })
    expect(own.json.command).toBe(`svc -p default import ${own.json.archive}`)
    const other = `/api/ops/import?profile=travel`
    expect((await send('POST', other, { archive: own.json.archive })).status).toBe(409)
    expect((await send('POST', other, { archive: file, force: true })).status).toBe(403)
    const { end } = await follow(other, { archive: own.json.archive, force: true })
    expect(end).toMatchObject({ exit_code: 0, error: null })
    expect(readFileSync(join(home, 'profiles/travel/config.yaml'), 'utf8')).toContain('max_turns: 12')
  })

  test('a preview tells what a file would change, and stores and changes nothing', async () => {
    const bytes = readFileSync(join(folder, 'laptop.tar.gz'))
    const folders = () => [readdirSync(`${home}-backups`), readFileSync(join(home, 'config.yaml'), 'utf8')]
    const before = folders()
    const preview = (query: string, part: Uint8Array = bytes) =>
      send('POST', `/api/ops/import-preview${query}`, pack(part))
    expect((await preview('')).json).toMatchObject({
      ...{ kind: 'export', profile: 'default', home_in_use: true, encrypted: false },
      plan: { files: 1, replaced: ['config.yaml'], ignored: [] },
    })
    expect((await preview('?profile=travel')).json).toMatchObject({ profile: 'travel', home_in_use: false })
    expect((await preview('?profile=absent')).status).toBe(404)
    const damaged = Buffer.from(bytes)
    damaged.fill(0, damaged.length >> 1)
    for (const part of [damaged, Buffer.from('no archive')])
      expect(await preview('', part)).toMatchObject({
        status: 400,
        text: expect.stringContaining('Nothing was changed.'),
      })
    expect(folders()).toEqual(before)
  })

  test('a svc that something else updates is not updated, and the answer says what does', async () => {
    writeFileSync(join(home, '.install_method'), 'homebrew\n')
    expect((await send('POST', '/api/svc/update', {})).json).toMatchObject({
      ...{ ok: false, pid: null, error: 'update_managed_externally' },
      message: expect.stringContaining('brew upgrade svc'),
    })
  })
})
