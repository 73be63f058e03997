/** One message through a gateway that is killed on the way and started again, and what people saw of it. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { StandInMember, StandInService } from '../../stand-ins.ts'
import { inFolder } from '../contracts/contract.ts'
import { type GatewayProcess, type ReadyReport, type SettledReport, startGateway } from './child.ts'
import { ASKED, FILES, MARK, type MessageWay } from './script.ts'
import { createSpeech, HEARD } from './speech.ts'

/** What is tried. */
export interface KillPlan {
  readonly platform: string
  readonly dirs: readonly string[]
  readonly open: () => Promise<StandInService>
  readonly way: MessageWay
  /** The step before which the process dies; 0: it lives. */
  readonly at: number
}

/** What came of it. */
export interface KillOutcome {
  /** Steps of the process that lived to the end. */
  readonly steps: number
  readonly copies: number
  readonly isUncertain: boolean
  /** It was said to the service, and the service does not say it again. */
  readonly isKept: boolean
  readonly detail: string
}

/** No one answers before all of a question is there and read; platforms that tell whole seconds need one to pass. */
const READING_MS = 1200
const PATIENCE_MS = 20_000
/** Of a message that was not kept nothing comes: this long is waited for it. */
const UNKEPT_MS = 3000
/** Who has answered waits before saying it again. */
const LATE_MS = 4000
const POLL_MS = 20
/** Settled reports in a row that are quiet. */
const QUIET = 3

export async function killOnce(plan: KillPlan): Promise<KillOutcome> {
  const service = await plan.open()
  try {
    return await inFolder((home) => carry(plan, home, service))
  } finally {
    await service.close()
  }
}

async function carry(plan: KillPlan, home: string, service: StandInService): Promise<KillOutcome> {
  const { platform, dirs, way, at } = plan
  const member = service.member()
  const open = { dm_policy: 'open', group_policy: 'open', allow_all: true, home_channel: member.chatId }
  const config = { platforms: { [platform]: { ...service.config, ...open, enabled: true } } }
  const common = { home, platform, dirs, config, env: service.env, way }
  const first = await begin(service, startGateway({ ...common, at }))
  if (way === 'speech') await member.say('', { files: [recording()] })
  else if (way !== 'job') await member.say('go')
  const before = await settle(service, first, { way, member, isLate: false })
  await first.end()
  if (!before.isDead) return outcome(service, way, before.last)
  const second = await begin(service, startGateway({ ...common, at: 0 }))
  const after = await settle(service, second, { way, member, isLate: before.isAnswered })
  await second.end()
  assert.ok(!after.isDead, `the gateway ended by itself after it was started again: ${second.complaints()}`)
  return outcome(service, way, after.last)
}

/** A service that calls svc is told where it is. */
async function begin(service: StandInService, child: GatewayProcess): Promise<GatewayProcess> {
  const { ready, reason, url } = (await child.next<ReadyReport>()) ?? {}
  if (!ready) {
    await child.end()
    assert.fail(`${service.name} did not connect to its stand-in: ${reason ?? ''} ${child.complaints()}`)
  }
  if (url !== undefined) service.callback?.(url)
  return child
}

interface Settled {
  readonly isDead: boolean
  readonly isAnswered: boolean
  readonly last: SettledReport | undefined
}

interface Person {
  readonly way: MessageWay
  readonly member: StandInMember
  /** Says yes once more, and later. */
  readonly isLate: boolean
}

/** Waits until nothing is left to do, answering what is asked. */
async function settle(service: StandInService, child: GatewayProcess, person: Person): Promise<Settled> {
  let [quiet, isAnswered] = [0, false]
  let last: SettledReport | undefined
  const began = Date.now()
  for (const end = began + PATIENCE_MS; quiet < QUIET && Date.now() < end; ) {
    child.send('settle')
    const reported = child.next<SettledReport>()
    if (person.way === 'approval' && !isAnswered) isAnswered = await answer(service, person, reported)
    const report = await reported
    if (!report) return { isDead: true, last, isAnswered }
    last = report
    const { inbox, outbox } = report
    const isQuiet = !inbox['waiting'] && !inbox['running'] && !outbox['pending'] && !outbox['attempting']
    const isThere = countCopies(service, person.way) > 0 || outbox['uncertain'] || outbox['failed']
    quiet = isQuiet && (isThere || quiet > 0 || Date.now() > began + UNKEPT_MS) ? quiet + 1 : 0
    await pause(POLL_MS)
  }
  return { isDead: false, last, isAnswered }
}

/** Says yes once the question is seen; gives up when the process has nothing more to say. */
async function answer(
  service: StandInService,
  { member, isLate }: Person,
  reported: Promise<unknown>,
): Promise<boolean> {
  let isOver = false
  void reported.then(() => {
    isOver = true
  })
  const patience = isLate ? Date.now() + LATE_MS : 0
  let [shown, readable] = [0, 0]
  for (const end = Date.now() + PATIENCE_MS; !isOver && Date.now() < end; await pause(POLL_MS)) {
    const said = service.deliveries()
    const asked = said.find(({ visible }) => visible.includes(ASKED))
    if (said.length !== shown) [shown, readable] = [said.length, Date.now() + READING_MS]
    if (!asked || Date.now() < Math.max(patience, readable)) continue
    // Mail belongs together by what it answers to.
    const quote = asked.replyTo === undefined ? {} : { quote: asked.messageId }
    await member.say('yes', quote).catch(() => undefined)
    return true
  }
  return false
}

function recording() {
  return { name: 'voice.ogg', mediaType: 'audio/ogg', bytes: createSpeech(), isVoice: true } as const
}

/** How often people have what was to leave; of several things the one that is wrong. */
function countCopies(service: StandInService, way: MessageWay): number {
  const counts = countEach(service, way)
  return Math.max(...counts) > 1 ? Math.max(...counts) : Math.min(...counts)
}

function countEach(service: StandInService, way: MessageWay): readonly number[] {
  const all = service.deliveries()
  const countFiles = (mark: string) =>
    all.flatMap(({ files }) => files.filter(({ bytes }) => Buffer.from(bytes).includes(mark))).length
  const countWords = (mark: string) => all.filter(({ visible }) => visible.includes(mark)).length
  if (way === 'files') return FILES.map((name) => countFiles(name) || countWords(name))
  const answers = all.filter(({ visible }) => visible.includes(MARK) && !visible.includes('Sent whole')).length
  return way === 'speech' ? [countWords(HEARD), answers, countFiles(MARK)] : [answers]
}

function outcome(service: StandInService, way: MessageWay, last: SettledReport | undefined): KillOutcome {
  const { steps = 0, deliveries = [] } = last ?? {}
  const seen = service.deliveries().map(({ visible }) => visible.slice(0, 60))
  return {
    steps,
    copies: countCopies(service, way),
    isUncertain: deliveries.some(({ state }) => state === 'uncertain'),
    isKept: deliveries.length > 0,
    detail: JSON.stringify({ deliveries, seen }),
  }
}
