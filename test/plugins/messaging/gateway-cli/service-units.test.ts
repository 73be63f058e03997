import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import {
  createLaunchdAgent,
  createSystemdUnit,
  type UnitFacts,
} from '../../../../plugins/messaging/gateway-cli/service-units.ts'
import { createWindowsTask } from '../../../../plugins/messaging/gateway-cli/windows-task.ts'

const facts: UnitFacts = {
  words: ['/opt/my node/bin/node', '/opt/100% "svc"/bin.cjs', '--profile', 'work'],
  profile: 'work',
  home: '/home/ann/my svc & co',
  userHome: '/home/ann',
  userName: 'ann',
  userId: 1000,
  path: '/usr/bin:/opt/$x',
  stopSeconds: 60,
  earlyLog: '/home/ann/my svc & co/logs/early.log',
}

test('the unit of systemd names the program and its home, quoted, one for each profile', () => {
  const { name, file, text, enable, disable } = createSystemdUnit(facts)
  expect({ name, file }).toEqual({
    name: 'svc-gateway-work.service',
    file: '/home/ann/.config/systemd/user/svc-gateway-work.service',
  })
  expect(text).toContain(
    'ExecStart="/opt/my node/bin/node" "/opt/100%% \\"svc\\"/bin.cjs" "--profile" "work" "gateway" "run"\n',
  )
  expect(text).toContain('Environment="SVC_HOME=/home/ann/my svc & co"\nEnvironment="PATH=/usr/bin:/opt/$x"\n')
  expect(text).toMatch(/Restart=on-abnormal\n[\s\S]*KillMode=mixed\nTimeoutStopSec=60\n/)
  expect([...enable, ...disable].map((words) => words.join(' '))).toEqual([
    'systemctl --user daemon-reload',
    'systemctl --user enable svc-gateway-work.service',
    'systemctl --user disable --now svc-gateway-work.service',
  ])
  expect(createSystemdUnit({ ...facts, profile: undefined }).name).toBe('svc-gateway.service')
})

test('the agent of launchd is XML in which every word is itself', () => {
  const { file, text, enable } = createLaunchdAgent(facts)
  expect(file).toBe('/home/ann/Library/LaunchAgents/svc.gateway.work.plist')
  expect(text).toContain('<string>/opt/my node/bin/node</string>\n    <string>/opt/100% "svc"/bin.cjs</string>')
  expect(text).toContain('<key>SVC_HOME</key>\n    <string>/home/ann/my svc &amp; co</string>')
  expect(text).toMatch(/<string>gateway<\/string>\s+<string>run<\/string>\s+<string>--background<\/string>/)
  expect(text).toMatch(/<key>KeepAlive<\/key>\s+<dict>\s+<key>Crashed<\/key>\s+<true\/>/)
  expect(enable).toEqual([['launchctl', 'bootstrap', 'gui/1000', file]])
})

test('the task of Windows runs the program with its home and without a window, and is XML in which every word is itself', () => {
  const words = ['C:\\node\\node.exe', 'C:\\my svc\\bin.cjs', '--profile', 'work']
  const windows = { ...facts, words, home: 'C:\\Users\\ann\\R&D', userName: 'AT<T\\ann' }
  const { name, file, text, enable, disable, start } = createWindowsTask(windows)
  const run = '"C:\\node\\node.exe" "C:\\my svc\\bin.cjs" "--profile" "work" "gateway" "run" "--background"'
  const line = `--headless cmd.exe /d /s /c "set "SVC_HOME=C:\\Users\\ann\\R&amp;D"&amp;&amp; ${run}"`
  expect(text).toContain(`<Arguments>${line}</Arguments>`)
  expect(text.match(/<UserId>AT&lt;T\\ann<\/UserId>/g)).toHaveLength(2)
  expect(text).toContain('<LogonType>InteractiveToken</LogonType>\r\n      <RunLevel>LeastPrivilege</RunLevel>')
  // Left out, a task is ended after three days, and not begun on a battery.
  expect(text).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>')
  expect(text).toContain('<DisallowStartIfOnBatteries>false<')
  expect(name).toBe('svc\\gateway-work')
  expect([...enable, ...disable, start].map((command) => command.join(' '))).toEqual([
    `schtasks /Create /TN svc\\gateway-work /XML ${file} /F`,
    'schtasks /Delete /TN svc\\gateway-work /F',
    'schtasks /Run /TN svc\\gateway-work',
  ])
  expect(() => createWindowsTask({ ...windows, home: 'C:\\100%TEMP%' })).toThrow(/percent sign/)
})

test('a rehearsal of the installation shows the file and does nothing', async () => {
  await using kernel = await testKernel({ plugins: ['gateway-cli'] })
  for (const [manager, mark] of [
    ['systemd', '[Install]\nWantedBy=default.target\n'],
    ['launchd', '</plist>\n'],
    ['task-scheduler', '</Task>\r\n'],
  ] as const) {
    const said = await kernel.run(['gateway', 'install', '--dry-run', '--manager', manager])
    expect(said).toMatchObject({ code: 0, err: expect.stringContaining('Nothing was done.') })
    expect(said.out).toContain(mark)
    expect(said.out).toContain(kernel.home)
    if (manager === 'task-scheduler') expect(said.err).toContain('schtasks /Create /TN "svc\\gateway" /XML ')
  }
  const said = await kernel.run(['gateway', 'install', '--manager', 'upstart'])
  expect(said.err + String(said.code)).toMatch(/There is no manager "upstart".*1$/s)
})

test('one service serves the profiles that are named, and only those that there are', async () => {
  await using kernel = await testKernel({ plugins: ['gateway-cli'] })
  mkdirSync(join(kernel.home, 'profiles', 'work'), { recursive: true })
  const show = async (manager: string, names: string) =>
    kernel.run(['gateway', 'install', '--dry-run', '--manager', manager, '--profiles', names])
  expect((await show('systemd', 'Default, work')).out).toContain('"gateway" "run" "--profiles" "default,work"\n')
  expect((await show('launchd', 'all')).out).toMatch(/<string>--profiles<\/string>\s+<string>all<\/string>/)
  expect((await show('systemd', 'default,other')).err).toContain('There is no profile "other"')
})
