/** A real sshd on a port of the loopback, with a host key and a user its own key. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'

export const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find(existsSync)

/** A running server and the file with the key that opens it. */
export interface SshServer extends AsyncDisposable {
  readonly port: number
  readonly key: string
  readonly user: string
  stop(): Promise<void>
  /** Ends all that serves connections, without a word to the other side; the server takes new ones. */
  killSessions(): void
}

/** Starts one whose files are in the folder. */
export async function startSshd(folder: string): Promise<SshServer> {
  const key = join(folder, 'user-key')
  const hostKey = join(folder, 'host-key')
  for (const file of [key, hostKey]) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
  const authorized = join(folder, 'authorized_keys')
  writeFileSync(authorized, readFileSync(`${key}.pub`))
  chmodSync(authorized, 0o600)
  // Where it puts away its rights; Debian makes it when the service is started.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const port = await freePort()
  const config = join(folder, 'sshd_config')
  const lines = [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${hostKey}`, `AuthorizedKeysFile ${authorized}`],
    ...[
      'PasswordAuthentication no',
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin prohibit-password',
      'PidFile none',
    ],
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  const child = spawn(SSHD ?? 'sshd', ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await vi.waitFor(
    () => {
      if (!said.includes('Server listening')) throw new Error(`sshd does not listen: ${said}`)
    },
    { timeout: 8000 },
  )
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  const killSessions = () => {
    for (const pid of listChildren(child.pid ?? 0).flatMap((each) => [...listChildren(each), each]))
      try {
        process.kill(pid, 'SIGKILL')
      } catch (error) {
        // One of them ended with the other.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
  }
  return { port, key, killSessions, user: userInfo().username, stop, [Symbol.asyncDispose]: stop }
}

/** Processes whose parent this is (`man 5 proc_pid_task`). */
function listChildren(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
