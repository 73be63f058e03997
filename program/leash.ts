/**
 * Whether a process was started by the agent, directly or not. The mark is read from the environment that each ancestor
 * was started with: a program can take it out of its own, but not out of that of the shell that started it.
 */
import { readFileSync } from 'node:fs'
import { AGENT_PROCESS_VARIABLE } from '../sdk/leash.ts'
import type { CliManifestEntry } from '../sdk/manifest.ts'

/** What the system tells of a process. */
interface Ancestor {
  readonly parent: number
  readonly isMarked: boolean
}

/** More than any real chain: a loop of process ids that were used again ends. */
const MAX_ANCESTORS = 200

/** The process among `pid` and its ancestors that carries the mark; undefined if no marked one is found. */
export function findMarked(pid: number, look: (pid: number) => Ancestor | undefined = looker()): number | undefined {
  let current = pid
  for (let steps = 0; current > 0 && steps < MAX_ANCESTORS; steps++) {
    const ancestor = look(current)
    if (!ancestor) return undefined
    if (ancestor.isMarked) return current
    current = ancestor.parent
  }
  return undefined
}

/** Whether this process works for the agent. */
export function isStartedByAgent(env: Readonly<Record<string, string | undefined>>): boolean {
  return Object.hasOwn(env, AGENT_PROCESS_VARIABLE) || findMarked(process.ppid) !== undefined
}

/** Why a command may not run for the agent; undefined when its entry allows it. */
export function refusedToAgent(entry: CliManifestEntry, argv: readonly string[]): string | undefined {
  const [first = ''] = argv
  const isAllowed = entry.agent === true || (entry.agent ?? []).includes(first)
  const end = argv.indexOf('--')
  const options = argv.slice(0, end < 0 ? undefined : end)
  if (isAllowed || options.includes('--help') || options.includes('-h')) return undefined
  const typed = ['svc', entry.name, ...(first && !first.startsWith('-') ? [first] : [])].join(' ')
  return refuse(typed)
}

/** Why an option may not be used by the agent, whatever the command. */
export function refusedOption(option: string): string {
  return refuse(`svc ${option}`)
}

function refuse(typed: string): string {
  return `\`${typed}\` is not for programs that the agent started, in any home (SVC_HOME). Ask the user to run it in a terminal of their own.`
}

function looker(): (pid: number) => Ancestor | undefined {
  if (process.platform === 'linux') return lookInProc
  return process.platform === 'win32' ? () => undefined : lookWithPs()
}

/** proc(5): the fourth field of `stat` is the parent; the second, in parentheses, may hold anything. */
function lookInProc(pid: number): Ancestor | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return { parent, isMarked: readProcessEnvironment(pid).includes(`\0${AGENT_PROCESS_VARIABLE}=`) }
  } catch {
    return undefined
  }
}

/** Empty where it may not be read: a process of another user was not started by the agent of this one. */
function readProcessEnvironment(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
  } catch {
    return ''
  }
}

/** BSD and macOS: one list of all processes, with environments as far as they are this user's. */
function lookWithPs(): (pid: number) => Ancestor | undefined {
  // Loading it takes as long as the rest of `svc --help`, and Linux does not need it.
  const { execFileSync } = process.getBuiltinModule('node:child_process')
  const list = execFileSync('ps', ['-axEww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  const rows = list.split('\n').flatMap((line) => {
    const [, pid, parent, rest = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid
      ? [
          [
            Number(pid),
            { parent: Number(parent), isMarked: ` ${rest}`.includes(` ${AGENT_PROCESS_VARIABLE}=`) },
          ] as const,
        ]
      : []
  })
  const byPid = new Map(rows)
  return (pid) => byPid.get(pid)
}
