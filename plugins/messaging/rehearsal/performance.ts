/** What every platform has to do: connect, keep strangers out, answer, show long texts whole. */
import { type DryRunStep, platformSettingDefaults, type StandInMember, type StandInService } from 'svc/sdk/platform'
import type { RehearsalSetup } from './rehearsal-setup.ts'

const CODE = /\b[A-Z\d]{8}\b/

const LONG = [
  '# A long answer',
  'With **bold** and *italic* words, `code`, a [link](https://example.org/path), and 漢字 and 👩‍👩‍👧.',
  '```ts\nconst answer = 42\n```',
  ...Array.from({ length: 60 }, (_, at) => `${at + 1}. Item number ${at + 1} of a list that is long enough to be cut`),
].join('\n\n')

/** The steps, as they happen. */
export async function* performance(stage: RehearsalSetup): AsyncGenerator<DryRunStep> {
  const connected = await connects(stage)
  yield connected
  if (connected.result === 'failed') return
  if (!stage.platform.isEvents) yield* people(stage)
  yield await longText(stage)
}

async function connects({ soon, status }: RehearsalSetup): Promise<DryRunStep> {
  const name = 'connects'
  if (await soon(() => status()?.state === 'connected'))
    return { name, result: 'ok', detail: 'The platform reports that it is connected.' }
  const { state = 'missing', reason = '' } = status() ?? {}
  return { name, result: 'failed', detail: `${state}: ${reason}`, advice: 'See the README of the platform.' }
}

async function* people(stage: RehearsalSetup): AsyncGenerator<DryRunStep> {
  yield await rehearseStranger(stage)
  const friend = chooseFriend(stage)
  yield await answers(stage, friend)
}

/** A person whom no rule names. */
async function rehearseStranger({ fake, until, access, platform, gateway }: RehearsalSetup): Promise<DryRunStep> {
  const name = 'a stranger writes'
  const member = fake.member()
  const { chatId, userId } = member
  const verdict = access.judge({ platform: platform.name, chatId, userId }, { kind: 'message' })
  const since = fake.deliveries().length
  await member.say('hello, who are you?')
  await until((seen) => seen.length > 0 || verdict.reply === undefined, since)
  await gateway.idle()
  const said = fake.deliveries().slice(since).at(-1)?.visible
  if (verdict.allow)
    return { name, result: 'warning', detail: `is answered, because ${verdict.rule}`, advice: 'Name who may write.' }
  if (said === undefined) return { name, result: 'ok', detail: `Is not answered: ${verdict.rule}` }
  return { name, result: 'ok', detail: `Is offered a code: ${said.slice(0, 60)}…` }
}

/** A permitted sender: the first who is named, else one who is paired by a code. */
export function chooseFriend({ fake, platform, access }: RehearsalSetup): StandInMember {
  const named = (platform.settings ?? platformSettingDefaults).allow_from.find((id) => id !== '*')
  const member = fake.member({ userId: named ?? 'rehearsal-friend' })
  const sender = { platform: platform.name, chatId: member.chatId, userId: member.userId }
  if (!access.judge(sender, { kind: 'message' }).allow) {
    const code = access.requestPairing(sender)?.code ?? shownCode(fake)
    if (code !== undefined) access.approve(platform.name, code)
  }
  return member
}

/** Where there is only one person, the stranger has been shown the code already: eight capital letters and digits. */
function shownCode(fake: StandInService): string | undefined {
  return fake
    .deliveries()
    .findLast(({ visible }) => CODE.test(visible))
    ?.visible.match(CODE)?.[0]
}

async function answers({ fake, until }: RehearsalSetup, friend: StandInMember): Promise<DryRunStep> {
  const name = 'a friend writes'
  const since = fake.deliveries().length
  await friend.say('what can you do?')
  const seen = await until((all) => all.length > 0, since)
  if (seen.length === 0)
    return {
      name,
      result: 'failed',
      detail: 'and gets no answer',
      advice: 'Look at who may write, and in which chats.',
    }
  return { name, result: 'ok', detail: `and is answered: ${(seen.at(-1)?.visible ?? '').slice(0, 60)}…` }
}

async function longText(stage: RehearsalSetup): Promise<DryRunStep> {
  const name = 'a long text with marks'
  const { fake, outbox, platform, gateway } = stage
  const { chatId } = chooseFriend(stage)
  const since = fake.deliveries().length
  outbox.post({ platform: platform.name, chatId, key: 'rehearsal:long', text: LONG })
  await gateway.idle()
  const seen = fake.deliveries().slice(since)
  const words = seen.map(({ visible }) => visible).join(' ')
  const missing = Array.from({ length: 60 }, (_, at) => `Item number ${at + 1} of`).filter(
    (item) => !words.includes(item),
  )
  if (missing.length > 0) return { name, result: 'failed', detail: `${missing.length} of 60 lines did not arrive` }
  return {
    name,
    result: 'ok',
    detail: `arrives whole, in ${seen.length === 1 ? 'one message' : `${seen.length} messages`}`,
  }
}
