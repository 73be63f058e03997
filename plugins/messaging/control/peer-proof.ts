/**
 * Which process is at the other end of a connection. Node cannot ask the system (SO_PEERCRED), so the asking process
 * writes into a file that only it was told of and holds it open, and the answering one looks who holds it.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { AgentProcesses } from 'svc/sdk/shell'

/** What the asking side has to do before its request counts. */
export interface Challenge {
  /** The name of a file in the folder of the sockets. */
  readonly file: string
  readonly nonce: string
}

const NAME = /^proof-[0-9a-f]{32}$/
/** A process that was killed in the middle leaves its file. */
const STALE_MS = 60_000
/** Access modes of open(2), as /proc/<pid>/fdinfo shows them. */
const ACCESS = 0o3

/** Whether a challenge can be made here. Elsewhere the asking side is believed what it says of itself. */
export function isProvable(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'linux'
}

/** A new challenge in this folder, which only its owner can enter. */
export function createChallenge(folder: string): Challenge {
  const challenge = { file: `proof-${randomBytes(16).toString('hex')}`, nonce: randomBytes(16).toString('hex') }
  closeSync(openSync(join(folder, challenge.file), 'wx', 0o600))
  return challenge
}

/** Takes away the file of a challenge. */
export function removeChallenge(folder: string, { file }: Challenge): void {
  rmSync(join(folder, file), { force: true })
}

/** Takes away what killed processes left. `now` is in milliseconds since 1970. */
export function removeStaleChallenges(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    if (!NAME.test(name)) continue
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat && Math.abs(now - stat.mtimeMs) > STALE_MS) rmSync(path, { force: true })
  }
}

/**
 * The asking side: writes the proof and holds the file until the returned function is called. `line` is the request as it
 * was sent: a proof of one request is not valid for another, so forwarding a challenge gains nothing.
 */
export function hold(folder: string, { file, nonce }: Challenge, line: string): () => void {
  if (!NAME.test(file)) throw new SvcError('CONTROL_PARAMS', `A running svc named "${file}", which is no challenge.`)
  const descriptor = openSync(join(folder, file), constants.O_RDWR | constants.O_NOFOLLOW)
  writeSync(descriptor, computeProof(nonce, line))
  return () => closeSync(descriptor)
}

/** The answering side: the process that wrote the proof of this request and holds it. Throws `CONTROL_UNPROVEN`. */
export function findHolder(folder: string, { file, nonce }: Challenge, line: string): number {
  const path = join(folder, file)
  const proof = computeProof(nonce, line)
  if (readFileSync(path, 'utf8') !== proof) throw unproven('the proof is of another request')
  const holders = findHolders(path, proof.length)
  const [pid] = holders
  if (pid === undefined || holders.length > 1) throw unproven(`${holders.length} processes hold the proof`)
  return pid
}

/** Throws `CONTROL_AGENT` for a process that the agent started. */
export function refuseAgent(leash: AgentProcesses, pid: number, method: string): void {
  const marked = leash.findMarked(pid)
  if (marked === undefined) return
  const via = marked === pid ? '' : ` by process ${marked}`
  throw new SvcError(
    'CONTROL_AGENT',
    `"${method}" is for people: process ${pid} was started${via} for the agent. Ask the user to do it in a terminal of their own.`,
    { status: 403 },
  )
}

function computeProof(nonce: string, line: string): string {
  return createHash('sha256').update(`${nonce}\n${line}`).digest('hex')
}

function unproven(why: string): SvcError {
  return new SvcError('CONTROL_UNPROVEN', `It cannot be told which process asks: ${why}.`, { status: 403 })
}

/** Processes of this user that have the file open for writing, at this position: a reader of all files has neither. */
function findHolders(path: string, position: number): number[] {
  const { dev, ino } = statSync(path)
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOwn(name))
  return found.flatMap((pid) => {
    const holds = listDescriptors(pid).some((descriptor) => {
      const stat = readStat(`/proc/${pid}/fd/${descriptor}`)
      return stat?.ino === ino && stat.dev === dev && isWriter(pid, descriptor, position)
    })
    return holds ? [Number(pid)] : []
  })
}

function isOwn(pid: string): boolean {
  return readStat(`/proc/${pid}`)?.uid === process.getuid?.()
}

/** Empty for a process that has just ended, or may not be looked into. */
function listDescriptors(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`)
  } catch {
    return []
  }
}

function readStat(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // It ended meanwhile, or may not be looked into.
    return undefined
  }
}

/** proc(5): `pos` in decimal, `flags` in octal. */
function isWriter(pid: string, descriptor: string, position: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'latin1')
    const [, pos] = /^pos:\s*(\d+)$/m.exec(text) ?? []
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(text) ?? []
    const access = Number.parseInt(flags ?? '0', 8) & ACCESS
    return Number(pos) === position && access !== constants.O_RDONLY
  } catch {
    return false
  }
}
