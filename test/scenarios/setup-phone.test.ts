/** `svc setup` in a real terminal, with a phone in front of it: the built program, and stand-ins for the services. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { openStandIn as openSignal } from '../../plugins/messaging/platforms/platform-signal/stand-in/service.ts'
import { readScreenQrCode } from '../support/qr-code.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { root } from '../support/repository.ts'
import { openStandIn } from '../support/stand-ins.ts'
import { missingTmux, Tmux } from '../support/tmux.ts'

const program = join(root, 'dist/kernel/bin.cjs')
const absent = missingTmux()
const PATIENCE = { timeout: 120_000 }

interface Terminal {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
}

async function setUp(platform: string, config: object, { columns = 100, env = {} }: Terminal = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-setup-phone-'))
  onTestFinished(() => removeFolder(folder))
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(home, 'config.yaml'), stringify({ platforms: { [platform]: config } }))
  const all = { PATH: process.env['PATH'] ?? '', HOME: folder, SVC_HOME: home, TERM: 'tmux-256color', ...env }
  const command = [process.execPath, program, 'setup', 'platforms']
  const terminal = new Tmux({ command, columns, rows: 60, cwd: folder, env: all })
  onTestFinished(() => terminal.close())
  await terminal.shows(/Platform \[none\]:$/m)
  terminal.line(platform)
  const variables = () => readFileSync(join(home, '.env'), 'utf8')
  /** Enter at every question, until something else is on the screen. */
  const enterUntil = async (pattern: RegExp, names: readonly string[]) => {
    for (const name of names) {
      await terminal.shows(new RegExp(`${name}[^\\n]*:$`, 'm'))
      terminal.press('Enter')
    }
    return terminal.shows(pattern)
  }
  return { terminal, variables, enterUntil }
}

async function openTelegram() {
  const service = await openStandIn('telegram')
  onTestFinished(() => service.close())
  return service
}

const TELEGRAM_REST = [
  ...['WEBHOOK_URL', 'WEBHOOK_PORT', 'WEBHOOK_SECRET', 'ALLOWED_USERS', 'ALLOWED_CHATS', 'ALLOWED_TOPICS'],
  ...['IGNORED_THREADS', 'ALLOW_ALL_USERS', 'HOME_CHANNEL'],
].map((name) => `TELEGRAM_${name}`)
const SIGNAL_REST = ['ALLOWED_USERS', 'GROUP_ALLOWED_USERS', 'ALLOW_ALL_USERS', 'HOME_CHANNEL'].map(
  (name) => `SIGNAL_${name}`,
)

describe.skipIf(absent !== undefined)(`setup with a phone${absent ? ` (${absent})` : ''}`, () => {
  test.for([
    ['shows a code that a phone reads', {}, 'https://t.me/svc_test_bot'],
    ['shows the address alone without colours', { env: { NO_COLOR: '1' } }, undefined],
    ['shows the address alone where it is narrow', { columns: 30 }, undefined],
  ] as const)('a platform that its service knows %s', PATIENCE, async ([, how, code]) => {
    const service = await openTelegram()
    const { terminal, variables, enterUntil } = await setUp('telegram', service.config, how)
    await terminal.shows(/TELEGRAM_BOT_TOKEN:$/m)
    terminal.line(service.env['TELEGRAM_BOT_TOKEN'] ?? '')
    const screen = await enterUntil(/left with 0/, TELEGRAM_REST)
    expect(readScreenQrCode(screen)).toBe(code)
    expect(screen).toContain('https://t.me/svc_test_bot\n')
    expect(screen.replaceAll(/\s+/g, '')).toContain('svcpairingapprovetelegram<code>')
    expect(variables()).toContain('TELEGRAM_BOT_TOKEN=')
    if (code !== undefined) expect(terminal.coloredScreen()).toMatch(/\u001b\[30m?[;\u001b[]*47m {4}/)
  })

  test(
    'a phone that scans the code answers the question; Enter stops waiting, and Ctrl-C ends it all',
    PATIENCE,
    async () => {
      const service = await openSignal()
      onTestFinished(() => service.close())
      const { terminal, variables, enterUntil } = await setUp('signal', service.config)
      await enterUntil(/Link it to the account of a phone now \[yes\]:$/m, ['SIGNAL_HTTP_URL'])
      terminal.press('Enter')
      const waiting = /Waiting for the phone\. Enter stops waiting:$/m
      const first = readScreenQrCode(await terminal.shows(waiting))
      expect(first).toMatch(/^sgnl:\/\/linkdevice\?uuid=/)
      terminal.press('Enter')
      await terminal.shows(/^SIGNAL_ACCOUNT:$/m)
      await expect.poll(() => service.isLinking).toBe(false)
      terminal.line('<')
      await terminal.shows(/^SIGNAL_ACCOUNT: <\n[\s\S]*now \[yes\]:$/m)
      terminal.press('Enter')
      await expect.poll(() => service.isLinking, { timeout: 30_000 }).toBe(true)
      const second = readScreenQrCode((await terminal.shows(waiting)).split('SIGNAL_ACCOUNT: <').at(-1) ?? '')
      expect(second).not.toBe(first)
      service.scan(second ?? '')
      await terminal.shows(/^SIGNAL_ACCOUNT: \+15550100$/m)
      const screen = await enterUntil(/left with 0/, SIGNAL_REST)
      expect(readScreenQrCode(screen.split('Written.').at(-1) ?? '')).toBe('https://signal.me/#p/+15550100')
      expect(variables()).toContain('SIGNAL_ACCOUNT=+15550100')

      const again = await setUp('signal', service.config)
      await again.enterUntil(/now \[yes\]:$/m, ['SIGNAL_HTTP_URL'])
      again.terminal.press('Enter')
      await again.terminal.shows(waiting)
      again.terminal.press('C-c')
      await again.terminal.shows(/left with (1|130)/)
      await expect.poll(() => service.isLinking).toBe(false)
    },
  )
})
