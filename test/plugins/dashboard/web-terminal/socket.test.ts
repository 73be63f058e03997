import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLaunch, parseQuery } from '../../../../plugins/dashboard/web-terminal/launch.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openDashboard, upgradeStatus } from '../dashboard/desk.ts'

/** Stands in for svc: says how it was started, and repeats what is typed. */
function program(): string {
  const file = join(temporaryFolder(), 'svc')
  writeFileSync(
    file,
    '#!/bin/sh\necho "started: $@ [$SVC_DASHBOARD_SESSION_TOKEN] $SVC_TUI_DASHBOARD"; read line; stty size; echo "got $line"\n',
  )
  chmodSync(file, 0o755)
  return file
}

async function open(config: Record<string, unknown> = {}, env: Record<string, string> = {}) {
  const desk = await openDashboard({ plugins: ['web-terminal'], config, env: { SVC_BIN: program(), ...env } })
  const connect = (query: string) => {
    const socket = desk.socket(`/api/pty?token=${desk.token}&${query}`)
    let text = ''
    const closed = new Promise<{ code: number; reason: string }>((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    )
    socket.on('message', (data: Buffer, isBinary) => {
      text += isBinary ? data.toString() : 'A TEXT MESSAGE'
    })
    onTestFinished(() => socket.terminate())
    return { socket, closed, shows: (wanted: RegExp) => expect.poll(() => text).toMatch(wanted) }
  }
  return { ...desk, connect }
}

describe('a terminal over a WebSocket', () => {
  test('shows the terminal UI of a session, takes text and bytes, and says when it has ended', async () => {
    const { connect } = await open()
    const { socket, closed, shows } = connect('resume=20260101_000000_abcdef&profile=work')
    await shows(/started: --profile work chat --resume 20260101_000000_abcdef \[\] 1\r\n/)
    socket.send('\x1b[RESIZE:90;20]')
    socket.send('gr')
    socket.send(Buffer.from('üße\r'))
    await shows(/20 90\r\ngot grüße\r\n/)
    expect(await closed).toEqual({ code: 4410, reason: 'the program ended with code 0' })
  })

  test('is found again by its key, and the older page is told', async () => {
    const { connect } = await open()
    const first = connect('attach=tab-1')
    await first.shows(/started/)
    const second = connect('attach=tab-1')
    await second.shows(/started/)
    expect((await first.closed).code).toBe(4409)
    second.socket.send('x\r')
    await second.shows(/got x/)
    expect((await second.closed).code).toBe(4410)
  })

  test('asks for the token as everything does', async () => {
    const { socket } = await open()
    expect(await upgradeStatus(socket('/api/pty'))).toBe(401)
    expect(await upgradeStatus(socket('/api/pty?token=wrong'))).toBe(401)
  })

  test('with a malformed query is refused with 4400', async () => {
    const { connect } = await open()
    for (const query of ['profile=../x', 'resume=--yolo', 'channel=a%20b', 'attach=%00', 'fresh=2'])
      expect([query, (await connect(query).closed).code]).toEqual([query, 4400])
  })

  test('has a shell only where the user has allowed it', async () => {
    const { connect } = await open()
    expect(await connect('shell=1').closed).toEqual({
      code: 4404,
      reason: expect.stringContaining('web_terminal.shell'),
    })
    const allowed = await open({ web_terminal: { shell: true } })
    const shell = allowed.connect('shell=1')
    await shell.shows(/[#$%] /)
    shell.socket.send('echo is $((40 + 2)); exit\r')
    await shell.shows(/is 42/)
    expect((await shell.closed).code).toBe(4410)
  })

  test('that cannot be started closes with 1011 and the reason', async () => {
    const { connect } = await open({}, { SVC_BIN: '/nowhere/svc' })
    expect(await connect('').closed).toEqual({ code: 1011, reason: expect.stringContaining('/nowhere/svc') })
  })
})

test('a shell gets no variable that holds a secret, and no program gets what opens the dashboard', () => {
  const deps = {
    program: ['/bin/svc'],
    profile: 'default',
    cwd: '/here',
    environment: {
      PATH: '/bin',
      HOME: '/home/u',
      SHELL: '/bin/zsh',
      A_KEY: 'k',
      SVC_DASHBOARD_SESSION_TOKEN: 't',
      TMUX: 'x',
    },
    isSecret: (name: string) => name === 'A_KEY',
  }
  const chat = createLaunch(parseQuery(new URLSearchParams()), deps)
  expect(chat.command).toEqual(['/bin/svc', '--profile', 'default', 'chat'])
  expect(chat.environment).toEqual({
    ...{ PATH: '/bin', HOME: '/home/u', SHELL: '/bin/zsh', A_KEY: 'k' },
    ...{ SVC_TUI_DASHBOARD: '1', SVC_TUI_INLINE: '1', SVC_TUI_DISABLE_MOUSE: '1' },
  })
  const shell = createLaunch(parseQuery(new URLSearchParams('shell=1')), deps)
  expect(shell).toEqual({
    command: ['/bin/zsh', '-i'],
    cwd: '/home/u',
    environment: { PATH: '/bin', HOME: '/home/u', SHELL: '/bin/zsh' },
  })
})
