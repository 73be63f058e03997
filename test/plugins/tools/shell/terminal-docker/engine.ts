/** A container engine for tests: podman with its own files, an image of busybox, and a socket for the docker client. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { removeFolder } from '../../../../support/remove-folder.ts'

export const IMAGE = 'svc-test-busybox'

/** What of the machine's programs is missing; undefined when all are there. */
export function missingPrograms(): string | undefined {
  return ['podman', 'docker', 'runc', 'busybox'].find((name) => spawnSync('which', [name]).status !== 0)
}

/** A running engine. */
export interface Engine extends AsyncDisposable {
  /** Names of the containers there are. */
  containers(): string[]
  /** Removes all of them by force. */
  remove(): void
}

/** Starts one, and sets the variables of this process by which podman and docker find it. */
export async function startEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pod-'))
  const file = (name: string, ...lines: string[]) => {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
    return join(folder, name)
  }
  // runc, and limits below the machine's: what works without the right to raise them.
  process.env['CONTAINERS_CONF'] = file(
    'containers.conf',
    ...['[containers]', 'default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]'],
    ...['[engine]', 'runtime = "runc"', 'cgroup_manager = "cgroupfs"', 'events_logger = "file"'],
  )
  process.env['CONTAINERS_STORAGE_CONF'] = file(
    'storage.conf',
    ...['[storage]', 'driver = "vfs"', `graphroot = "${folder}/graph"`, `runroot = "${folder}/run"`],
  )
  await importBusybox(folder)
  const socket = join(folder, 's')
  process.env['DOCKER_HOST'] = `unix://${socket}`
  file('config.json', '{}')
  process.env['DOCKER_CONFIG'] = folder
  const service = spawn('podman', ['system', 'service', '-t', '0', `unix://${socket}`], { stdio: 'ignore' })
  const exited = new Promise<void>((resolve) => service.once('exit', () => resolve()))
  await vi.waitFor(
    () => {
      if (!existsSync(socket)) throw new Error('podman system service does not listen')
    },
    { timeout: 8000 },
  )
  return {
    containers: () => podman('ps', '-a', '--format', '{{.Names}}').split('\n').filter(Boolean),
    remove: () => void podman('rm', '-f', '-t', '0', '-a'),
    async [Symbol.asyncDispose]() {
      service.kill('SIGTERM')
      await exited
      endMonitors(folder)
      removeFolder(folder)
    },
  }
}

/** Podman keeps a monitor for each exec of a docker client for five minutes more. */
function endMonitors(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      if (program.endsWith('conmon') && args.some((arg) => arg.includes(folder))) process.kill(Number(pid), 'SIGKILL')
    } catch (error) {
      // It has ended while it was looked at.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}

async function importBusybox(folder: string): Promise<void> {
  const root = join(folder, 'root')
  for (const name of ['bin', 'tmp', 'root', 'etc']) mkdirSync(join(root, name), { recursive: true })
  const busybox = execFileSync('which', ['busybox'], { encoding: 'utf8' }).trim()
  await copyFile(busybox, join(root, 'bin/busybox'))
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean)
  for (const name of applets) if (name !== 'busybox') symlinkSync('busybox', join(root, 'bin', name))
  execFileSync('tar', ['-C', root, '-cf', join(folder, 'root.tar'), '.'])
  podman('import', join(folder, 'root.tar'), IMAGE)
}

function podman(...args: string[]): string {
  return execFileSync('podman', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}
