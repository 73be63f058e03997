import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { uptime } from 'node:os'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { systemProcesses } from '../../../plugins/sessions/processes.ts'

const clock = virtualClock(Date.now())
const processes = systemProcesses(clock)

describe('a process', () => {
  it('knows itself to be running', () => {
    const own = processes.own()
    expect(own.pid).toBe(process.pid)
    expect(processes.isRunning(own, clock.now())).toBe(true)
  })

  it.runIf(existsSync('/proc/self/stat'))('is not taken for another one that has its id now', () => {
    const { pid, identity } = processes.own()
    expect(identity).not.toBe('unknown')
    expect(processes.isRunning({ pid, identity: `${identity}0` }, clock.now())).toBe(false)
  })

  it('is not running any more once it was killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    await once(child, 'spawn')
    const mark = { pid: child.pid ?? 0, identity: 'unknown' }
    expect(processes.isRunning(mark, clock.now())).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(processes.isRunning(mark, clock.now())).toBe(false)
  })
})

describe('where the system does not tell start times', () => {
  const isRunning = (pid: number, since: number) => processes.isRunning({ pid, identity: 'unknown' }, since)

  it('what began before the machine did is dead', () => {
    expect(isRunning(1, clock.now() - uptime() * 1000 - 3_600_000)).toBe(false)
    expect(isRunning(1, clock.now())).toBe(true)
  })

  it('what began before this process did, under its id, is dead', () => {
    expect(isRunning(process.pid, clock.now())).toBe(true)
    expect(isRunning(process.pid, clock.now() - process.uptime() * 1000 - 3_600_000)).toBe(false)
  })
})
