/** The files by which systemd and launchd start the gateway, and the commands that go with them. Pure. */
import { join } from 'node:path'

/** In a comment of each file that svc writes. */
export const UNIT_MARK = 'Written by `svc gateway install`; removed by `svc gateway uninstall`.'

/** The service manager that starts programs at log-in. */
export const MANAGERS = ['systemd', 'launchd', 'task-scheduler'] as const
export type ManagerName = (typeof MANAGERS)[number]

/** What is to be started, and for whom. */
export interface UnitFacts {
  /** The program up to its command, see `programWords`. */
  readonly words: readonly string[]
  readonly profile: string | undefined
  /** Names of the profiles that it serves, as `--profiles` takes them; undefined: its own. */
  readonly profiles?: string
  /** SVC_HOME. */
  readonly home: string
  /** The user's home folder, name and number. */
  readonly userHome: string
  readonly userName: string
  readonly userId: number
  /** Where the agent's tools find programs. */
  readonly path: string | undefined
  readonly stopSeconds: number
  /** Where launchd writes output before there is a log. */
  readonly earlyLog: string
}

/** Words of a command. */
export type Command = readonly string[]

/** A service as a manager knows it. */
export interface Unit {
  readonly manager: ManagerName
  readonly name: string
  readonly file: string
  readonly text: string
  readonly enable: readonly Command[]
  readonly disable: readonly Command[]
  /** After the file was removed. */
  readonly forget: readonly Command[]
  readonly start: Command
  /** What else a person may want to know. */
  readonly hints: readonly string[]
}

/**
 * Sources: systemd.unit(5), systemd.service(5), systemd.syntax(7). It is watched over by `run` itself, everywhere alike; so
 * systemd starts it again only when that was killed, and kills what is left only after the time to stop in order.
 */
export function createSystemdUnit(facts: UnitFacts): Unit {
  const name = `svc-gateway${facts.profile === undefined ? '' : `-${facts.profile}`}.service`
  const environment = listEnvironment(facts).map(([key, value]) => `Environment=${systemdWord(`${key}=${value}`)}`)
  const systemctl = (...words: string[]) => ['systemctl', '--user', ...words]
  const text = [
    `# ${UNIT_MARK}`,
    '[Unit]',
    `Description=svc gateway${facts.profile === undefined ? '' : ` (${facts.profile})`}`,
    'StartLimitIntervalSec=600',
    'StartLimitBurst=4',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${[...facts.words, 'gateway', 'run', ...profileWords(facts)].map((word) => systemdWord(word).replaceAll('$', '$$$$')).join(' ')}`,
    'ExecReload=/bin/kill -USR1 $MAINPID',
    ...environment,
    'Restart=on-abnormal',
    'RestartSec=2',
    'KillMode=mixed',
    `TimeoutStopSec=${facts.stopSeconds}`,
    'OOMPolicy=continue',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
  return {
    manager: 'systemd',
    name,
    file: join(facts.userHome, '.config', 'systemd', 'user', name),
    text,
    enable: [systemctl('daemon-reload'), systemctl('enable', name)],
    disable: [systemctl('disable', '--now', name)],
    forget: [systemctl('daemon-reload')],
    start: systemctl('start', name),
    hints: [
      `To keep it running after you log out: sudo loginctl enable-linger ${facts.userName}`,
      `Its log: journalctl --user -u ${name}`,
    ],
  }
}

/** Quoted as systemd.syntax(7) has it; a percent sign would be a specifier. */
function systemdWord(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('%', '%%')
  return `"${escaped}"`
}

/** Source: launchd.plist(5), launchctl(1). Started again only when `run`, which watches over the gateway, was killed. */
export function createLaunchdAgent(facts: UnitFacts): Unit {
  const name = `svc.gateway${facts.profile === undefined ? '' : `.${facts.profile}`}`
  const file = join(facts.userHome, 'Library', 'LaunchAgents', `${name}.plist`)
  const domain = `gui/${facts.userId}`
  const words = [...facts.words, 'gateway', 'run', '--background', ...profileWords(facts)]
  const entries: [string, string][] = [
    ['Label', xmlString(name)],
    ['ProgramArguments', `<array>${words.map((word) => `\n    ${xmlString(word)}`).join('')}\n  </array>`],
    ['EnvironmentVariables', xmlDict(listEnvironment(facts).map(([key, value]) => [key, xmlString(value)]))],
    ['RunAtLoad', '<true/>'],
    ['KeepAlive', xmlDict([['Crashed', '<true/>']])],
    ['ThrottleInterval', '<integer>10</integer>'],
    ['ExitTimeOut', `<integer>${facts.stopSeconds}</integer>`],
    ['StandardOutPath', xmlString(facts.earlyLog)],
    ['StandardErrorPath', xmlString(facts.earlyLog)],
  ]
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${UNIT_MARK} -->`,
    '<plist version="1.0">',
    '<dict>',
    ...entries.map(([key, value]) => `  <key>${key}</key>\n  ${value}`),
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
  return {
    manager: 'launchd',
    name,
    file,
    text,
    enable: [['launchctl', 'bootstrap', domain, file]],
    disable: [['launchctl', 'bootout', `${domain}/${name}`]],
    forget: [],
    start: ['launchctl', 'kickstart', `${domain}/${name}`],
    hints: ['It has been started, and is started again whenever you log in. Its log: logs/gateway.log in SVC_HOME.'],
  }
}

function listEnvironment({ home, path }: UnitFacts): [string, string][] {
  return [['SVC_HOME', home], ...(path === undefined ? [] : [['PATH', path] satisfies [string, string]])]
}

function xmlDict(entries: readonly (readonly [string, string])[]): string {
  return `<dict>${entries.map(([key, value]) => `\n    <key>${xml(key)}</key>\n    ${value}`).join('')}\n  </dict>`
}

function xmlString(text: string): string {
  return `<string>${xml(text)}</string>`
}

/** Text of an element of XML. */
export function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The words of `svc gateway run` that name profiles. */
export function profileWords({ profiles }: UnitFacts): readonly string[] {
  return profiles === undefined ? [] : ['--profiles', profiles]
}
