/** What stand-ins of services that call a webhook have in common: people, messages, faults, a login, buttons. */
import type { LineFault, SendFault, StandInDelivery, StandInMember, StandInService } from '../../stand-ins.ts'
import { CALL_FAULTS, demandFault, SEND_FAULTS, SendFaults } from './faults.ts'
import { type ServiceAnswer, type ServiceRequest, StandInServer } from './server.ts'
import { WebhookCaller, type WebhookCallerOptions } from './webhook-caller.ts'

/** A message of svc, as it was taken. @since 0.2 */
export interface TakenMessage extends Pick<StandInDelivery, 'messageId' | 'chatId' | 'raw' | 'visible'> {
  readonly threadId?: string | undefined
  readonly replyTo?: string | undefined
  /** Labels, with what comes back when one is pressed. */
  readonly buttons?: Readonly<Record<string, unknown>>
  readonly files?: StandInDelivery['files']
}

/** How it answers a send that goes wrong. @since 0.2 */
export type FaultAnswers = Readonly<Record<Exclude<SendFault, 'lost' | 'unanswered'>, ServiceAnswer>>

/** A service that is described. @since 0.2 */
export interface ChatServiceAbout<Event> extends Pick<StandInService, 'name' | 'document'> {
  readonly webhook: WebhookCallerOptions<Event>
  /** The block of the platform and its variables, by the address of the service. */
  readonly config: (url: string) => StandInService['config']
  readonly env: (url: string) => StandInService['env']
  readonly answer: (request: ServiceRequest, service: ChatService<Event>) => ServiceAnswer | Promise<ServiceAnswer>
  /** `userId` and `group` are names; both have defaults that are used once. */
  readonly member: (
    service: ChatService<Event>,
    options: { readonly userId: string; readonly group?: string },
  ) => StandInMember
  readonly sendFaults?: readonly SendFault[]
  /** Default: those of a service that calls. */
  readonly lineFaults?: readonly LineFault[]
}

/** The state of a service. @since 0.2 */
export class ChatService<Event> {
  /** svc has shown that it knows the account. */
  isKnown = false
  isLoggedOut = false
  readonly sent: StandInDelivery[] = []
  readonly files: Map<string, Uint8Array> = new Map()
  readonly faults: SendFaults
  readonly caller: WebhookCaller<Event>
  readonly #pressed: Map<string, unknown> = new Map()
  #count = 0

  constructor(webhook: WebhookCallerOptions<Event>, sendFaults: readonly SendFault[] = SEND_FAULTS) {
    this.caller = new WebhookCaller(webhook)
    this.faults = new SendFaults(sendFaults)
  }

  /** A number that was not given out before. */
  count(): number {
    return ++this.#count
  }

  /** Lets the fault happen that waits for this send; `take` takes the message. */
  send(faults: FaultAnswers, take: () => ServiceAnswer): ServiceAnswer {
    const fault = this.faults.next()
    if (fault === 'lost') return 'cut'
    if (fault !== undefined && fault !== 'unanswered') return faults[fault]
    const answer = take()
    return fault === 'unanswered' ? 'cut' : answer
  }

  record({ buttons = {}, files = [], threadId, replyTo, ...message }: TakenMessage): void {
    for (const [label, data] of Object.entries(buttons)) this.#pressed.set(`${message.chatId} ${label}`, data)
    this.sent.push({
      ...{ ...message, versions: [message.raw], buttons: Object.keys(buttons), files },
      ...(threadId !== undefined && { threadId }),
      ...(replyTo !== undefined && { replyTo }),
    })
  }

  /** False if there is no such message. */
  edit(messageId: string, raw: string, visible: string): boolean {
    const at = this.sent.findIndex((each) => each.messageId === messageId)
    const found = this.sent[at]
    if (!found) return false
    this.sent[at] = { ...found, raw, visible, versions: [...found.versions, raw] }
    return true
  }

  /** Lets a fault of the connection happen, other than one that cuts it. */
  disturb(fault: LineFault): void {
    if (fault === 'logout') this.isLoggedOut = true
    else this.caller.disturb(fault)
  }

  /** Ends all faults. */
  calm(): void {
    this.isLoggedOut = false
    this.faults.clear()
    this.caller.calm()
  }

  /** Calls go to this address. */
  callback(url: string): void {
    this.caller.point(url)
  }

  close(): void {
    this.caller.close()
  }

  /** What comes back when this button is pressed. */
  pressed(chatId: string, label: string): unknown {
    const key = `${chatId} ${label}`
    if (!this.#pressed.has(key)) throw new Error(`No message has a button "${label}".`)
    return this.#pressed.get(key)
  }
}

/** A service whose state is a class of its own. @since 0.2 */
export interface ServedChatService
  extends Pick<StandInService, 'name' | 'document' | 'member'>,
    Partial<Pick<StandInService, 'sendFaults' | 'lineFaults'>> {
  readonly service: Pick<
    ChatService<never>,
    'isKnown' | 'isLoggedOut' | 'sent' | 'faults' | 'disturb' | 'calm' | 'callback' | 'close'
  >
  /** The block of the platform and its variables, by the address of the service. */
  readonly config: (url: string) => StandInService['config']
  readonly env: (url: string) => StandInService['env']
  readonly answer: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>
}

/** Starts one. @since 0.2 */
export function openChatService<Event>(about: ChatServiceAbout<Event>): Promise<StandInService> {
  const { webhook, answer, member, ...rest } = about
  const service = new ChatService(webhook, about.sendFaults)
  return serveChatService({
    ...rest,
    service,
    answer: (request) => answer(request, service),
    member: ({ userId = `person ${service.count()}`, group } = {}) =>
      member(service, { userId, ...(group !== undefined && { group }) }),
  })
}

/** Starts one whose state the caller has made. @since 0.2 */
export async function serveChatService(about: ServedChatService): Promise<StandInService> {
  const { name, document, service, member, sendFaults = SEND_FAULTS, lineFaults = CALL_FAULTS } = about
  const server = await StandInServer.open(about.answer)
  return {
    ...{ name, document, config: about.config(server.url), env: about.env(server.url), sendFaults, lineFaults, member },
    deliveries: () => service.sent,
    connected: () => service.isKnown && !service.isLoggedOut,
    failSends: (fault, count) => service.faults.add(fault, count),
    disturb(fault) {
      demandFault(lineFaults, fault)
      if (fault === 'flap') server.cut()
      else service.disturb(fault)
    },
    calm: () => service.calm(),
    callback: (url) => service.callback(url),
    async close() {
      service.close()
      await server.close()
    },
  }
}
