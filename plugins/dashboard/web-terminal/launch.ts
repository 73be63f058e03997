/** What runs in a terminal: the terminal UI of this very program, or a shell of the user. */
import { SvcError } from 'svc/sdk'
import { DASHBOARD_VARIABLES } from 'svc/sdk/dashboard'
import type { ProgramLaunch } from './program.ts'

/** What the query of a client says. Values that are not as described close the connection with 4400. */
export interface TerminalQuery {
  /** The session that the terminal UI continues. */
  readonly resume: string | undefined
  readonly profile: string | undefined
  /** Names the page among others, for what the program reports of itself. */
  readonly channel: string | undefined
  readonly isFresh: boolean
  /** Under which the terminal is found again. */
  readonly attach: string | undefined
  readonly isShell: boolean
}

const WORD = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
const CHANNEL = /^[A-Za-z0-9._-]{1,128}$/
const PROFILE = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** Throws `WEB_TERMINAL_QUERY`. */
export function parseQuery(query: URLSearchParams): TerminalQuery {
  const value = (name: string, pattern: RegExp) => {
    const text = query.get(name)
    if (text === null || text === '') return undefined
    if (pattern.test(text)) return text
    throw new SvcError('WEB_TERMINAL_QUERY', `${name} is malformed. Leave it out or correct it.`)
  }
  return {
    resume: value('resume', WORD),
    profile: value('profile', PROFILE),
    channel: value('channel', CHANNEL),
    attach: value('attach', WORD),
    isFresh: value('fresh', /^[01]$/) === '1',
    isShell: value('shell', /^[01]$/) === '1',
  }
}

export interface LaunchDeps {
  /** This program up to the command. */
  readonly program: readonly string[]
  /** Of the process that serves the dashboard, `default` when none is chosen. */
  readonly profile: string
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Names of variables that hold secrets: a shell does not get them. */
  isSecret(name: string): boolean
}

/** What opens the dashboard or a remote backend is for no program in it, nor is what describes another terminal. */
const WITHHELD = new Set<string>([
  ...Object.values(DASHBOARD_VARIABLES),
  ...['TMUX', 'TMUX_PANE', 'STY', 'WINDOW', 'WINDOWID', 'TERMCAP', 'COLUMNS', 'LINES'],
])
const WITHHELD_GROUPS = [`${DASHBOARD_VARIABLES.isDesktop}_`, 'TERM_']
const SHELL = '/bin/sh'

export function createLaunch(query: TerminalQuery, deps: LaunchDeps): ProgramLaunch {
  return query.isShell ? shellLaunch(deps) : chatLaunch(query, deps)
}

function chatLaunch({ resume, profile, channel }: TerminalQuery, deps: LaunchDeps): ProgramLaunch {
  const session = resume === undefined ? [] : ['--resume', resume]
  return {
    command: [...deps.program, '--profile', profile ?? deps.profile, 'chat', ...session],
    cwd: deps.cwd,
    environment: {
      ...selectEnvironment(deps, () => true),
      SVC_TUI_DASHBOARD: '1',
      SVC_TUI_INLINE: '1',
      SVC_TUI_DISABLE_MOUSE: '1',
      ...(resume !== undefined && { SVC_TUI_RESUME: resume }),
      ...(channel !== undefined && { SVC_TUI_CHANNEL: channel }),
    },
  }
}

function shellLaunch(deps: LaunchDeps): ProgramLaunch {
  const environment = selectEnvironment(deps, (name) => !deps.isSecret(name))
  const { SHELL: shell = SHELL, HOME: cwd = deps.cwd } = environment
  return { command: [shell.startsWith('/') ? shell : SHELL, '-i'], cwd, environment }
}

function selectEnvironment({ environment }: LaunchDeps, isGiven: (name: string) => boolean): Record<string, string> {
  const given = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ||
    WITHHELD.has(name) ||
    WITHHELD_GROUPS.some((group) => name.startsWith(group)) ||
    !isGiven(name)
      ? []
      : [[name, value] as const],
  )
  return Object.fromEntries(given)
}
