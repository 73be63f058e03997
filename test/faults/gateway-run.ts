/** One message through a gateway that is killed on the way and started again, and what people saw of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { StandInService } from 'svc/sdk/platform'
import { removeFolder } from '../support/remove-folder.ts'
import { openStandIn } from '../support/stand-ins.ts'

export const MARK = 'forty-two'
/** The files on the way `files`; each is to be there once, or to be told by its name. */
const FILES: readonly string[] = ['forty-two.pdf', 'forty-three.pdf']

/** The ways on which a message leaves. */
export const paths = ['reply', 'stream', 'tool', 'approval', 'job', 'files'] as const
export type Path = (typeof paths)[number]

/** Where the process dies. */
export interface Kill {
  readonly at: number
  readonly when: 'before' | 'after'
}

/** What came of it. */
export interface Outcome {
  readonly boundaries: number
  readonly copies: number
  readonly isUncertain: boolean
  /** It was said to the service, and the service does not say it again. */
  readonly isKept: boolean
  readonly killed: boolean
  readonly detail: string
}

interface Child {
  /** What it complained of. */
  err(): string
  next(): Promise<Record<string, unknown> | undefined>
  send(line: string): void
  end(): Promise<void>
}

const script = join(import.meta.dirname, 'gateway-child.mjs')
/** No one answers before all of a question is there and read; platforms that tell whole seconds need one to pass. */
const READING_MS = 1200
const PATIENCE_MS = 20_000
const LATE_MS = 4000

function child(argument: object): Child {
  const running = spawn(process.execPath, [script, JSON.stringify(argument)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] },
  })
  const ended = once(running, 'close')
  running.stdin.on('error', () => undefined)
  let complaints = ''
  running.stderr.on('data', (said: Buffer) => {
    complaints = `${complaints}${said}`.slice(-2000)
  })
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]()
  return {
    err: () => complaints,
    next: async () => {
      const line = (await lines.next()) as IteratorResult<string>
      return line.done ? undefined : (JSON.parse(line.value) as Record<string, unknown>)
    },
    send: (line) => void running.stdin.write(`${line}\n`),
    async end() {
      running.stdin.end()
      const timer = setTimeout(() => running.kill('SIGKILL'), PATIENCE_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Runs it; without `kill` the process lives. */
export async function carry(platform: string, path: Path, kill?: Kill): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), 'svc-gateway-'))
  const fake = await openStandIn(platform)
  try {
    return await story(fake, home, path, kill)
  } finally {
    await fake.close()
    removeFolder(home)
  }
}

async function story(fake: StandInService, home: string, path: Path, kill: Kill | undefined): Promise<Outcome> {
  const member = fake.member()
  const open = { dm_policy: 'open', group_policy: 'open', allow_all: true, home_channel: member.chatId }
  const config = { platforms: { [fake.name]: { ...fake.config, ...open, enabled: true } } }
  const base = { home, platform: fake.name, config, env: fake.env, path, target: fake.name }
  const first = child({ ...base, at: kill?.at ?? 0, when: kill?.when ?? 'before' })
  const ready = await first.next()
  if (ready?.['ready'] !== true)
    throw new Error(`${fake.name} did not connect: ${JSON.stringify(ready)} ${first.err()}`)
  listen(fake, ready)
  if (path !== 'job') await member.say('go')
  const isDead = await settle(fake, first, path, member, 'at once')
  await first.end()
  if (!isDead.killed) return outcome(fake, path, { ...isDead, killed: false })
  const second = child({ ...base, at: 0, when: 'before' })
  listen(fake, await second.next())
  const after = await settle(fake, second, path, member, isDead.answered ? 'late' : 'at once')
  await second.end()
  return outcome(fake, path, { ...after, killed: true })
}

/** A service that calls svc is told where it is. */
function listen(fake: StandInService, ready: Record<string, unknown> | undefined): void {
  if (typeof ready?.['url'] === 'string') fake.callback?.(ready['url'])
}

/** Waits until nothing is left to do, answering what is asked. */
async function settle(
  fake: StandInService,
  running: Child,
  path: Path,
  member: ReturnType<StandInService['member']>,
  answers: 'at once' | 'late',
) {
  let quiet = 0
  let last: Record<string, unknown> = {}
  let answered = false
  for (let end = Date.now() + PATIENCE_MS; quiet < 3 && Date.now() < end; ) {
    running.send('settle')
    const reported = running.next()
    if (path === 'approval' && !answered) answered = await answerApproval(fake, member, reported, answers)
    const report = await reported
    if (!report) return { killed: true, last, answered }
    last = report
    const { inbox, outbox } = report['status'] as { inbox: Record<string, number>; outbox: Record<string, number> }
    const isQuiet = !inbox['waiting'] && !inbox['running'] && !outbox['pending'] && !outbox['attempting']
    const isThere = countCopies(fake, path) > 0 || outbox['uncertain'] || outbox['failed']
    quiet = isQuiet && (isThere || quiet > 0 || Date.now() > end - PATIENCE_MS + 3000) ? quiet + 1 : 0
    await pause(30)
  }
  return { killed: false, last, answered }
}

/** Says yes once the question is seen; gives up when the process has nothing more to say. */
async function answerApproval(
  fake: StandInService,
  member: ReturnType<StandInService['member']>,
  reported: Promise<unknown>,
  answers: 'at once' | 'late',
): Promise<boolean> {
  let isOver = false
  // Who has answered waits before saying it again.
  const patience = answers === 'late' ? Date.now() + LATE_MS : 0
  void reported.then(() => {
    isOver = true
  })
  let [shown, readable] = [0, 0]
  for (let end = Date.now() + PATIENCE_MS; !isOver && Date.now() < end; await pause(20)) {
    const said = fake.deliveries()
    const asked = said.find(({ visible: text }) => text.includes('nothing-here'))
    if (said.length !== shown) [shown, readable] = [said.length, Date.now() + READING_MS]
    if (!asked || Date.now() < Math.max(patience, readable)) continue
    // Mail belongs together by what it answers to.
    const reply = fake.name === 'email' ? { quote: asked.messageId } : {}
    await member.say('yes', reply).catch(() => undefined)
    return true
  }
  return false
}

/** How often people have what was to leave; of several files the one that is wrong. */
function countCopies(fake: StandInService, path: Path): number {
  if (path !== 'files') return visible(fake).filter((text) => !text.includes('Sent whole')).length
  const counts = FILES.map((name) => {
    const sent = fake
      .deliveries()
      .flatMap(({ files }) => files.filter(({ bytes }) => Buffer.from(bytes).includes(name)))
    const told = fake.deliveries().filter(({ visible: text }) => text.includes(name))
    return sent.length || told.length
  })
  return Math.max(...counts) > 1 ? Math.max(...counts) : Math.min(...counts)
}

function visible(fake: StandInService): readonly string[] {
  return fake.deliveries().flatMap(({ visible: text }) => (text.includes(MARK) ? [text] : []))
}

function outcome(
  fake: StandInService,
  path: Path,
  { last, killed }: { readonly last: Record<string, unknown>; readonly killed: boolean },
): Outcome {
  const deliveries = (last['deliveries'] ?? []) as readonly { readonly key: string; readonly state: string }[]
  const copies = countCopies(fake, path)
  return {
    boundaries: (last['boundaries'] as number) ?? 0,
    copies,
    isUncertain: deliveries.some(({ state }) => state === 'uncertain'),
    isKept: deliveries.length > 0,
    killed,
    detail: JSON.stringify({ deliveries, seen: fake.deliveries().map(({ visible: text }) => text.slice(0, 60)) }),
  }
}
