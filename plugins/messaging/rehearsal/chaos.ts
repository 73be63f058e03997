/** What happens to a message when the service misbehaves. */
import type { DryRunStep, LineFault, SendFault } from 'svc/sdk/platform'
import { chooseFriend } from './performance.ts'
import type { RehearsalSetup } from './rehearsal-setup.ts'

/** One message under one fault: it must arrive once, or be known to be uncertain or refused. */
export async function rehearseFault(stage: RehearsalSetup, fault: string): Promise<DryRunStep> {
  const { fake } = stage
  const isSend = (fake.sendFaults as readonly string[]).includes(fault)
  return isSend ? badSend(stage, fault as SendFault) : badLine(stage, fault as LineFault)
}

async function badSend(stage: RehearsalSetup, fault: SendFault): Promise<DryRunStep> {
  const name = `a send goes wrong: ${fault}`
  const { fake, outbox, platform, soon } = stage
  const { chatId } = chooseFriend(stage)
  const text = `a message under the fault ${fault}`
  fake.failSends(fault)
  const key = `rehearsal:${fault}`
  outbox.post({ platform: platform.name, chatId, key, text })
  const settled = await soon(() =>
    outbox.deliveries({ key }).every(({ state }) => state !== 'pending' && state !== 'attempting'),
  )
  fake.calm()
  const copies = fake.deliveries().filter(({ visible }) => visible.includes(text)).length
  const { state = 'missing', error = '' } = outbox.deliveries({ key })[0] ?? {}
  const detail = `${state}, ${copies} visible${error && `: ${error}`}`
  if (state === 'uncertain') await hearOfIt(stage)
  const isSound = settled && (state === 'delivered' ? copies === 1 : copies <= 1 && state !== 'pending')
  return isSound
    ? { name, result: 'ok', detail }
    : { name, result: 'failed', detail, advice: '`svc outbox list` shows what became of it.' }
}

/** The next answer comes with the word that this one may not have arrived. */
async function hearOfIt(stage: RehearsalSetup): Promise<void> {
  const since = stage.fake.deliveries().length
  await chooseFriend(stage).say('hello')
  await stage.until((all) => all.length >= 2, since)
  await stage.gateway.idle()
}

async function badLine(stage: RehearsalSetup, fault: LineFault): Promise<DryRunStep> {
  const name = `the line is disturbed: ${fault}`
  const { fake, until, status, soon } = stage
  const friend = chooseFriend(stage)
  const since = fake.deliveries().length
  fake.disturb(fault)
  if (fault === 'logout') {
    // A platform that polls notices at its next request.
    await stage.platform.probe()
    await soon(() => status()?.state === 'fatal')
    const { state = 'missing', reason = '' } = status() ?? {}
    fake.calm()
    return { name, result: state === 'fatal' ? 'ok' : 'failed', detail: `${state}: ${reason}` }
  }
  if (fault === 'silence') {
    fake.calm()
    return { name, result: 'ok', detail: 'a silent service is degraded after 45 s and reconnected after 90 s' }
  }
  if (fault === 'flap') await soon(() => fake.connected() && status()?.state === 'connected')
  await friend.say('what can you do?')
  if (fault === 'late') await friend.say('list files')
  const wanted = fault === 'late' ? 2 : 1
  const seen = await until((all) => all.length >= wanted, since)
  fake.calm()
  await stage.gateway.idle()
  const count = fake.deliveries().length - since
  const detail = `${count} answers to ${wanted} messages`
  // Messages that come at about the same time are one.
  return { name, result: seen.length > 0 && count <= wanted ? 'ok' : 'failed', detail }
}
