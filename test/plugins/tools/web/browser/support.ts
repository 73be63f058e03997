/** Where the tests find a browser, and what is left of one. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { SafeFetch } from 'svc/sdk/web'

export const PATH = process.env['PATH'] ?? ''
export const chromium = PATH.split(delimiter)
  .map((folder) => join(folder, 'chromium'))
  .find((file) => existsSync(file))
/** Why tests are skipped, for the name of the group. */
export const SKIPPED = chromium ? '' : ' (skipped: no chromium on the PATH)'

/** A kernel with the browser and a guard that lets everything through. */
export function openKernel(config: object = {}, env: Record<string, string> = { PATH }): Promise<TestKernel> {
  return testKernel({
    plugins: ['browser'],
    with: [
      {
        name: 'fake-guard',
        provides: ['url-guard'],
        setup(ctx) {
          const request = () => Promise.reject(new Error('not used here'))
          ctx.provide(SafeFetch, () => ({ check: async () => undefined, request, secretIn: () => undefined }))
        },
      },
    ],
    config: { browser: config },
    env,
  })
}

/** Processes, other than zombies, of a group. */
export function listProcesses(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && getGroup(name) === group)
    .map(Number)
}

/** Groups of browsers that a process started: their leaders are its children. */
export function listBrowsers(parent: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const [state, ppid, group] = readStat(name)
    return /^\d+$/.test(name) && state !== 'Z' && Number(ppid) === parent && Number(group) === Number(name)
      ? [Number(name)]
      : []
  })
}

function getGroup(pid: string): number | undefined {
  const [state, , group] = readStat(pid)
  return state === 'Z' || group === undefined ? undefined : Number(group)
}

/** State, parent and group, which follow the name in brackets. */
function readStat(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    // It ended while it was looked at.
    return []
  }
}

/** Profiles of browsers that a process started. */
export function listProfiles(pid: number): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`svc-browser-${pid}-`))
}
