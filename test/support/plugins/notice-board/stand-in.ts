/** Stands in for the notice board: it checks the token, counts notices, and can misbehave. */
import { demandFault, SendFaults, type ServiceAnswer, type ServiceRequest, StandInServer } from 'svc/sdk/kit/stand-in'
import type { SendFault, StandInService } from 'svc/sdk/platform'

interface Notice {
  readonly id: number
  readonly chat: string
  readonly author: string
  readonly text: string
  readonly at: number
}

const TOKEN = 'board-token-for-tests'
const SEND_FAULTS: readonly SendFault[] = ['busy', 'unavailable', 'lost', 'unanswered', 'forbidden']

export async function openStandIn(): Promise<StandInService> {
  const notices: Notice[] = []
  const faults = new SendFaults(SEND_FAULTS)
  let [people, asked] = [0, 0]
  const add = (chat: string, author: string, text: string) => {
    const added = { id: notices.length + 1, chat, author, text, at: Date.now() }
    notices.push(added)
    return added
  }
  const post = ({ chat, text }: Notice): ServiceAnswer => {
    const fault = faults.next()
    if (fault === 'busy') return { status: 429, headers: { 'retry-after': '1' } }
    if (fault === 'unavailable') return { status: 503 }
    if (fault === 'forbidden') return { status: 403 }
    if (fault === 'lost') return 'cut'
    const added = add(chat, 'svc', text)
    return fault === 'unanswered' ? 'cut' : { body: added }
  }
  const server = await StandInServer.open((request: ServiceRequest) => {
    asked = Date.now()
    if (request.headers['authorization'] !== `Bearer ${TOKEN}`) return { status: 401 }
    if (request.path === '/newest') return { body: notices.length }
    if (request.method === 'POST') return post(request.json() as Notice)
    return { body: notices.slice(Number(request.query.get('after'))) }
  })
  return {
    ...{ name: 'board', document: 'https://board.example/docs', sendFaults: SEND_FAULTS, lineFaults: ['flap'] },
    config: { url: server.url },
    env: { BOARD_TOKEN: TOKEN },
    member({ userId = `person-${++people}`, group } = {}) {
      const chatId = group ?? `with-${userId}`
      return { chatId, userId, say: async (text) => String(add(chatId, userId, text).id) }
    },
    deliveries: () =>
      notices.flatMap(({ id, chat, author, text }) => {
        if (author !== 'svc') return []
        return [
          { messageId: String(id), chatId: chat, raw: text, visible: text, versions: [text], buttons: [], files: [] },
        ]
      }),
    connected: () => Date.now() - asked < 1000,
    failSends: (fault, count) => faults.add(fault, count),
    disturb(fault) {
      demandFault(['flap'], fault)
      server.cut()
    },
    calm: () => faults.clear(),
    close: () => server.close(),
  }
}
