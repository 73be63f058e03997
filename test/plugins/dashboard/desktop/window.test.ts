import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STAGES } from '../../../../plugins/dashboard/desktop/bootstrap/stages.ts'
import { parseLink } from '../../../../plugins/dashboard/desktop/links.ts'
import { runBuilt } from '../../../support/built.ts'
import { removeFolder } from '../../../support/remove-folder.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const PROGRAM = `#!${process.execPath}
const { existsSync, appendFileSync } = require('node:fs')
const { createServer } = require('node:http')
const folder = __dirname
const words = process.argv.slice(2)
if (words[0] === '--version') console.log('0.2.0')
else if (words[1] === 'stages') console.log(${JSON.stringify(JSON.stringify({ protocol_version: 1, stages: STAGES }))})
else if (words[1] === 'stage') {
  appendFileSync(folder + '/stages', words[2] + '\\n')
  const bad = words[2] === 'git' && existsSync(folder + '/broken')
  console.error(words[2] + ' at work')
  console.log(JSON.stringify({ stage: words[2], ok: !bad, skipped: false, reason: bad ? 'the disk is full' : null, duration_ms: 1 }))
  process.exitCode = bad ? 1 : 0
} else {
  appendFileSync(folder + '/backends', process.pid + ' ' + words.join(' ') + '\\n')
  const page = (path) => '<!doctype html><title>svc</title><h1>The page ' + path + '</h1><input aria-label="message">'
  createServer((request, response) => response.end(request.url === '/api/status' ? '{}' : page(request.url)))
    .listen(Number(words[words.indexOf('--port') + 1]), '127.0.0.1', function () { console.log('SVC_BACKEND_READY port=' + this.address().port) })
}
`

/** A desktop of this home, which svc as built runs. */
class Desktop {
  readonly folder: string
  readonly #display: string
  readonly #debugPort: number

  constructor(folder: string, display: string, debugPort: number) {
    this.folder = folder
    this.#display = display
    this.#debugPort = debugPort
  }

  start(...words: string[]): {
    readonly child: ChildProcess
    readonly ended: Promise<{ code: number | null; text: string }>
  } {
    const child = spawn(process.execPath, [join(root, 'dist/kernel/bin.cjs'), 'desktop', ...words], {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        HOME: this.folder,
        SVC_HOME: join(this.folder, 'home'),
        SVC_DESKTOP_SVC: join(this.folder, 'svc'),
        DISPLAY: this.#display,
        SVC_DESKTOP_DEBUG_PORT: String(this.#debugPort),
      },
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += String(part)))
    return { child, ended: new Promise((resolve) => child.once('exit', (code) => resolve({ code, text }))) }
  }

  async browser(): Promise<Browser> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await chromium.connectOverCDP(`http://127.0.0.1:${this.#debugPort}`)
      } catch (error) {
        if (attempt > 200) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }

  lines(name: string): string[] {
    const file = join(this.folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
}

/** In CI their absence is a failure. */
const isMissing =
  process.env['SVC_TEST_REQUIRE_PROGRAMS'] !== '1' &&
  !['chromium', 'Xvfb'].every((name) => existsSync(`/usr/bin/${name}`))

describe.skipIf(isMissing)('a window on a real screen', () => {
  let desktop: Desktop
  let screen: ChildProcess | undefined
  let running: ReturnType<Desktop['start']>
  let browser: Browser
  let page: Page
  const picture = process.env['SVC_TEST_PICTURES']

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
    const started = await startScreen()
    screen = started.child
    desktop = new Desktop(folder, started.display, await freePort())
    writeFileSync(join(folder, 'svc'), PROGRAM)
    chmodSync(join(folder, 'svc'), 0o755)
    writeFileSync(join(folder, 'broken'), '')
    running = desktop.start('svc://session/first')
    browser = await desktop.browser()
    page = browser.contexts()[0]?.pages()[0] as Page
  })

  afterAll(async () => {
    await browser?.close()
    running?.child.kill('SIGTERM')
    await running?.ended
    screen?.kill()
    removeFolder(desktop.folder)
  })

  const look = async (name: string) => {
    if (picture) await page.screenshot({ path: join(picture, `desktop-${name}.png`) })
  }

  test('shows the failure of a first start, without tabs or an address line, and stays with it', async () => {
    await page.getByRole('alert').filter({ hasText: 'Git: the disk is full' }).waitFor()
    expect(await page.evaluate("matchMedia('(display-mode: standalone)').matches")).toBe(true)
    expect(await page.getByRole('heading').textContent()).toBe('svc could not start')
    expect(await page.getByRole('listitem', { name: 'Git: failed' }).count()).toBe(1)
    expect(await page.getByRole('listitem', { name: 'Package manager: done' }).count()).toBe(1)
    expect(new URL(page.url()).hash).toBe('')
    expect(desktop.lines('stages')).toEqual(['package-manager', 'runtime', 'git'])
    await look('failure')
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'Git: the disk is full' }).waitFor()
    expect(desktop.lines('stages')).toHaveLength(3)
  })

  test('goes on where it failed when a person tries again, and shows the page that was asked for', async () => {
    rmSync(join(desktop.folder, 'broken'))
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.getByRole('heading', { name: 'The page /sessions/first' }).waitFor()
    expect(desktop.lines('stages').slice(3)).toEqual(STAGES.map(({ name }) => name).slice(2))
    expect(await page.evaluate('Notification.permission')).toBe('granted')
    await look('page')
  })

  test('shows what a second start asks for', async () => {
    const second = desktop.start('--', 'svc://settings?q=second')
    expect(await second.ended).toMatchObject({ code: 0, text: expect.stringContaining('runs already') })
    await page.getByRole('heading', { name: 'The page /config?q=second' }).waitFor()
    expect(browser.contexts()[0]?.pages()).toHaveLength(1)
    expect(desktop.lines('backends')).toHaveLength(1)
  })

  test('keeps its page and what was typed while a backend that has crashed is started again at its port', async () => {
    await page.getByLabel('message').fill('half a sentence')
    const kill = (at: number) => process.kill(Number(desktop.lines('backends')[at]?.split(' ')[0]), 'SIGKILL')
    const { port } = new URL(page.url())
    kill(0)
    await expect.poll(() => desktop.lines('backends')[1]).toMatch(new RegExp(`--port ${port}$`))
    expect(await page.getByLabel('message').inputValue()).toBe('half a sentence')
    for (let at = 1; at < 4; at++) {
      await expect.poll(() => desktop.lines('backends').length).toBe(at + 1)
      const phase = async () =>
        JSON.parse((await desktop.start('--status', '--json').ended).text).progress.default.phase
      await expect.poll(phase).toBe('ready')
      kill(at)
    }
    await page.getByRole('alert').filter({ hasText: 'The backend ended 4 times in a minute' }).waitFor()
    await look('crashed')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'The page /config?q=second' }).waitFor()
  })

  test('closes when it is told to end, with all that it has started', async () => {
    const quit = desktop.start('--quit')
    expect((await quit.ended).code).toBe(0)
    expect((await running.ended).code).toBe(0)
    const pid = Number(desktop.lines('backends').at(-1)?.split(' ')[0])
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(await desktop.start('--status', '--json').ended).toMatchObject({ text: '{"running":false}\n' })
    const state = JSON.parse(readFileSync(join(desktop.folder, 'home/desktop/state.json'), 'utf8'))
    expect(state).toMatchObject({ ports: { default: expect.any(Number) } })
  })
})

describe('a remote backend that is half set', () => {
  test.for([
    { SVC_DESKTOP_REMOTE_URL: 'http://127.0.0.1:1' },
    { SVC_DESKTOP_REMOTE_TOKEN: 'a token' },
    { SVC_DESKTOP_REMOTE_URL: 'ftp://a', SVC_DESKTOP_REMOTE_TOKEN: 'a token' },
  ])('%j is refused before anything starts', (env) => {
    const home = temporaryFolder()
    const { code, err } = runBuilt(['desktop', '--no-window'], { home, env: { HOME: home, ...env } })
    expect([code, err]).toEqual([1, expect.stringContaining('SVC_DESKTOP_REMOTE_')])
    expect(existsSync(join(home, 'svc-agent'))).toBe(false)
  })
})

describe('a link', () => {
  test.for([
    ['svc://sessions', '/sessions'],
    ['svc://session/abc', '/sessions/abc'],
    ['svc://task/t-1.2/', '/board/t-1.2'],
    ['SVC://Settings?q=web search', '/config?q=web%20search'],
    ['svc:///logs', '/logs'],
    ['svc:chat', '/chat'],
    ['/kanban', '/kanban'],
  ] as const)('%s is the page %s', ([link, path]) => expect(parseLink(link)).toBe(path))

  test.for([
    'http://evil.example',
    '//evil.example',
    'svc://sessions/../keys',
    'svc://sessions/%2e%2e',
    'svc://sessions/a/b',
    'svc://sessions/--repair',
    'svc://terminal',
    'svc://api/sessions',
    'svc://p/weather',
    'svc://chat?q=rm',
    'svc://settings?q=a&next=//evil.example',
    'svc://settings?next=/keys',
    'svc://keys/OPENAI_API_KEY',
    'svc://constructor',
    'javascript:alert(1)',
    'svc://a#b',
    'svc://a"b',
    '',
  ])('%j leads nowhere', (link) =>
    expect(() => parseLink(link)).toThrow(expect.objectContaining({ code: 'DESKTOP_LINK' })),
  )
})

async function startScreen(): Promise<{ child: ChildProcess; display: string }> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const number = await new Promise<string>((resolve, reject) => {
    child.stdio[3]?.once('data', (data) => resolve(String(data).trim()))
    child.once('exit', () => reject(new Error('Xvfb has ended')))
  })
  return { child, display: `:${number}` }
}

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
