/** One connection to a machine, which all commands of a session share (ControlMaster of ssh_config(5)). */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { type ShellContext, type ShellEnvironment, shellQuote } from 'svc/sdk/shell'
import { type SshDeps, type SshTarget, sshTarget } from './target.ts'

const CONNECT_SECONDS = 15
const START_MS = 60_000
const STOP_MS = 2000
const MAX_SAID = 2000
const READY = 'svc-ready'

/** Connects. Throws `TERMINAL_SSH_UNSET`, `TERMINAL_SSH_MISSING` or `TERMINAL_SSH_FAILED`. */
export async function connect(place: ShellContext, deps: SshDeps, signal: AbortSignal): Promise<ShellEnvironment> {
  const target = sshTarget(place.settings, deps.variable)
  if (target === undefined) {
    const message = 'The terminal backend ssh needs a machine: svc config set terminal.ssh_host NAME.'
    throw new SvcError('TERMINAL_SSH_UNSET', message, { status: 400 })
  }
  await mkdir(dirname(deps.knownHosts), { recursive: true })
  // The name of a socket may not be longer than about a hundred characters.
  const folder = await mkdtemp(join(tmpdir(), 'svc-ssh-'))
  const socket = join(folder, 's')
  const child = spawn(
    'ssh',
    ['-M', ...createSshOptions(target, socket, deps), target.destination, createKeepOpenCommand()],
    {
      ...{ cwd: place.cwd, env: { ...place.environment }, stdio: 'pipe' },
      detached: true,
    },
  )
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const close = async () => {
    await hangUp(child, exited, deps)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await waitForConnection({ child, exited, target, host: deps }, signal)
  } catch (error) {
    await close()
    throw error
  }
  return {
    elsewhere: true,
    label: target.destination,
    launch: async ({ command, pty }) => ({
      command: [
        ...['ssh', '-o', 'ControlMaster=no', ...createSshOptions(target, socket, deps), ...(pty ? ['-tt'] : ['-T'])],
        ...[target.destination, beginIn(target.folder, command).map(shellQuote).join(' ')],
      ],
      environment: place.environment,
      cwd: place.cwd,
    }),
    close,
  }
}

/** ssh begins in the folder of the user, which `~` stands for. */
function beginIn(folder: string | undefined, command: readonly string[]): readonly string[] {
  if (folder === undefined) return command
  return ['sh', '-c', 'cd -- "$0" && exec "$@"', folder.replace(/^~\/?/, '') || '.', ...command]
}

/** It lasts as long as our end of its input: also when svc is killed, the connection is closed. */
function createKeepOpenCommand(): string {
  return `echo ${READY}; cat >/dev/null`
}

/** ssh runs without prompts. A host key is remembered when it is first seen, and must then stay the same. */
function createSshOptions(target: SshTarget, socket: string, deps: SshDeps): string[] {
  const known = `"${deps.knownHosts}" "${join(homedir(), '.ssh', 'known_hosts')}"`
  const options = [
    ...['BatchMode=yes', `ConnectTimeout=${CONNECT_SECONDS}`, 'StrictHostKeyChecking=accept-new'],
    ...[`UserKnownHostsFile=${known}`, 'ServerAliveInterval=15', 'ServerAliveCountMax=4', 'LogLevel=ERROR'],
  ]
  const key =
    target.key === undefined ? [] : ['-i', target.key.replace(/^~(?=\/)/, homedir()), '-o', 'IdentitiesOnly=yes']
  return ['-S', socket, '-p', target.port, ...key, ...options.flatMap((option) => ['-o', option])]
}

interface Connecting {
  readonly child: ChildProcess
  readonly exited: Promise<void>
  readonly target: SshTarget
  readonly host: SshDeps
}

async function waitForConnection({ child, exited, target, host }: Connecting, signal: AbortSignal): Promise<void> {
  let said = ''
  let problem: NodeJS.ErrnoException | undefined
  const ready = new Promise<'ready'>((resolve) => {
    let out = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out = (out + text).slice(-MAX_SAID)
      if (out.includes(READY)) resolve('ready')
    })
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_SAID)
  })
  child.on('error', (error) => {
    problem = error
  })
  // A connection that was lost is noticed by the exit.
  child.stdin?.on('error', () => undefined)
  const outcome = await waitAtMost(host.clock(), START_MS, Promise.race([ready, exited]), { signal })
  if (outcome === 'ready') return
  if (problem?.code === 'ENOENT') {
    throw new SvcError('TERMINAL_SSH_MISSING', 'The program ssh is not on the PATH; install an OpenSSH client.')
  }
  const reason = problem?.message ?? (said.trim() || 'it did not answer')
  const message = `ssh could not connect to ${target.destination}, port ${target.port}: ${reason}`
  throw new SvcError('TERMINAL_SSH_FAILED', message, { cause: problem })
}

async function hangUp(child: ChildProcess, exited: Promise<void>, deps: SshDeps): Promise<void> {
  child.stdin?.end()
  if (child.pid === undefined) return
  await waitAtMost(deps.clock(), STOP_MS, exited)
  child.kill('SIGTERM')
  await exited
}
