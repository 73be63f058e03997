import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemProcesses } from '../../../../plugins/sessions/sessions/processes.ts'

const clock = virtualClock(Date.now())
const processes = systemProcesses(clock)
const patience = { timeout: 10_000 }
const isLinux = existsSync('/proc/self/stat')

describe('a process', () => {
  it('knows itself to be running', () => {
    const own = processes.own()
    expect(own.pid).toBe(process.pid)
    expect(processes.isRunning(own, clock.now())).toBe(true)
  })

  it.runIf(isLinux)('is not taken for another one that has its id now', () => {
    const { pid, identity } = processes.own()
    expect(identity).not.toBe('unknown')
    expect(processes.isRunning({ pid, identity: `${identity}0` }, clock.now())).toBe(false)
  })

  it('never has the mark of imported turns, which belong to none', () => {
    expect(processes.isRunning({ pid: 0, identity: 'imported' }, clock.now())).toBe(false)
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

describe.runIf(isLinux)('a process whose parent has not noticed its death', () => {
  it('is dead', async () => {
    // The shell turns into a program that never asks for its children, and only then the child may end.
    const script = 'cat <&3 >/dev/null & echo $!; exec sleep 60 3<&-'
    const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [line] = (await once(parent.stdio[1] as Readable, 'data')) as [Buffer]
    const pid = Number(line.toString())
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim(), patience).toBe('sleep')
    const stdin = parent.stdio[3] as Writable
    stdin.end()
    const fields = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    await expect.poll(() => fields()[0], patience).toBe('Z')
    const identity = `${processes.own().identity.split(':')[0]}:${fields()[19]}`
    expect(processes.isRunning({ pid, identity }, clock.now())).toBe(false)
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
