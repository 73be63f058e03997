/**
 * A stand-in for Home Assistant with a few entities: the WebSocket API for changes
 * (https://developers.home-assistant.io/docs/api/websocket) and the REST API for services
 * (https://developers.home-assistant.io/docs/api/rest). People are heard through an `input_text` helper that is watched.
 */
import {
  LINE_FAULTS,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
  wordsOfMarkdown,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, SendFault, StandInDelivery, StandInService } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiIwMTIzNDU2Nzg5In0.abcdefghijklmnopqrstuvwxyz0'
const CHAT = 'ha_events'
const LETTERBOX = 'input_text.talk'
/** It has no rate limit. */
const HOME_FAULTS = SEND_FAULTS.filter((fault) => fault !== 'busy')
const VERSION = '2026.11.1'

type Data = Readonly<Record<string, unknown>>

interface Entity {
  readonly state: string
  readonly attributes: Data
  readonly at: string
}

/** What the tests of the platform itself look at besides. */
export interface HomeStandIn extends StandInService {
  /** An entity gets another state; the one that it had is `from`, or what it was. */
  change(id: string, state: string, attributes?: Data): void
  /** Services that were called, with their data. */
  readonly calls: readonly { readonly service: string; readonly data: Data }[]
  /** Sends this to every session as it is. */
  push(text: string): void
}

/** Starts it. Its `config` watches lights, sensors and the letterbox, without a cooldown. */
export async function openStandIn(): Promise<HomeStandIn> {
  const home = new Home()
  const sockets = new WebSocketServer({ noServer: true })
  const service = await StandInServer.open(
    (request) => home.answer(request),
    (request, socket, head) => sockets.handleUpgrade(request, socket, head, (client) => home.greet(client)),
  )
  home.cut = () => service.cut()
  return {
    name: 'homeassistant',
    document:
      'https://developers.home-assistant.io/docs/api/websocket and https://developers.home-assistant.io/docs/api/rest',
    config: {
      url: service.url,
      watch_domains: ['light', 'sensor', 'binary_sensor', 'climate', 'alarm_control_panel', 'vacuum'],
      watch_entities: [LETTERBOX],
      cooldown_seconds: 0,
    },
    env: { HASS_TOKEN: TOKEN },
    sendFaults: HOME_FAULTS,
    lineFaults: LINE_FAULTS,
    member: () => ({ chatId: CHAT, userId: 'homeassistant', say: async (text) => home.say(text) }),
    deliveries: () => [...home.notifications.values()],
    connected: () => home.listeners.size > 0,
    failSends: (fault, count) => home.sendFaults.add(fault, count),
    disturb: (fault) => home.disturb(fault),
    calm: () => home.calm(),
    close: async () => {
      sockets.close()
      await service.close()
    },
    change: (id, state, attributes) => home.change(id, state, attributes),
    calls: home.calls,
    push: (text) => home.push(text),
  }
}

class Home {
  cut = () => {}
  readonly notifications: Map<string, StandInDelivery> = new Map()
  readonly calls: { readonly service: string; readonly data: Data }[] = []
  /** Sessions that are told of changes, with the id of their subscription. */
  readonly listeners: Map<WebSocket, number> = new Map()
  readonly sendFaults: SendFaults = new SendFaults(HOME_FAULTS)
  readonly #entities: Map<string, Entity> = new Map([
    ['light.kitchen', entity('off', { friendly_name: 'Kitchen light' })],
    ['sensor.garden', entity('12.5', { friendly_name: 'Garden', unit_of_measurement: '°C' })],
    [LETTERBOX, entity('', { friendly_name: 'Talk' })],
  ])
  #fault: LineFault | undefined
  #held: object | undefined
  #stamps = Date.UTC(2026, 0, 1)

  /** A session begins. */
  greet(socket: WebSocket): void {
    const say = (message: object) => socket.send(JSON.stringify(message))
    let isKnown = false
    socket.on('error', () => socket.terminate()).on('close', () => this.listeners.delete(socket))
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as Data
      if (this.#fault === 'silence') return
      if (isKnown) say(this.#command(message, socket))
      else if (message['type'] === 'auth' && this.#accepts(message['access_token'])) {
        isKnown = true
        say({ type: 'auth_ok', ha_version: VERSION })
      } else {
        say({ type: 'auth_invalid', message: 'Invalid access token or password' })
        socket.close()
      }
    })
    if (this.#fault !== 'silence') say({ type: 'auth_required', ha_version: VERSION })
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const [, api, kind, first = '', second = ''] = request.path.split('/')
    if (!this.#accepts(request.headers['authorization']?.replace('Bearer ', '')))
      return { status: 401, body: '401: Unauthorized' }
    if (api !== 'api') return { status: 404, body: '404: Not Found' }
    if (kind === 'states') return this.#states(first)
    if (kind === 'services' && request.method === 'GET') return { body: SERVICES }
    if (kind === 'services') return this.#call(first, second, (request.json() ?? {}) as Data)
    if (kind === 'template') return templateAnswer(request.json() as Data)
    return { status: 404, body: '404: Not Found' }
  }

  /** What was typed last is cleared, as the same once more would be no change. */
  say(text: string): string {
    if (this.#entities.get(LETTERBOX)?.state === text.trim()) this.change(LETTERBOX, '')
    this.change(LETTERBOX, text.trim())
    return `${LETTERBOX}@${this.#entities.get(LETTERBOX)?.at}`
  }

  change(id: string, state: string, attributes: Data = {}): void {
    const old = this.#entities.get(id)
    const isSame = old?.state === state
    const at = isSame ? old.at : this.#stamp()
    const now = { state, attributes: { ...old?.attributes, ...attributes }, at }
    this.#entities.set(id, now)
    const data = { entity_id: id, old_state: old ? createState(id, old) : null, new_state: createState(id, now) }
    const event = { event_type: 'state_changed', data, origin: 'LOCAL', time_fired: at }
    if (state === '') this.#send(event)
    else this.#tell(event)
  }

  push(text: string): void {
    for (const socket of this.listeners.keys()) socket.send(text)
  }

  disturb(fault: LineFault): void {
    if (fault !== 'flap') this.#fault = fault
    if (fault === 'flap' || fault === 'logout') this.cut()
  }

  calm(): void {
    if (this.#held) this.#send(this.#held)
    this.#held = undefined
    this.#fault = undefined
    this.sendFaults.clear()
  }

  #accepts(token: unknown): boolean {
    return token === TOKEN && this.#fault !== 'logout'
  }

  #stamp(): string {
    this.#stamps += 1000
    return new Date(this.#stamps).toISOString()
  }

  #command({ id, type, event_type: kind }: Data, socket: WebSocket): object {
    if (type === 'ping') return { id, type: 'pong' }
    const isKnown = type === 'subscribe_events' && kind === 'state_changed'
    if (isKnown) this.listeners.set(socket, Number(id))
    const error = { code: 'unknown_command', message: 'Unknown command.' }
    return { id, type: 'result', success: isKnown, ...(isKnown ? { result: null } : { error }) }
  }

  #tell(event: object): void {
    const fault = this.#fault
    if (fault === 'late' || fault === 'twice') this.#fault = undefined
    if (fault === 'late') {
      this.#held = event
      return
    }
    this.#send(event)
    if (fault === 'twice') this.#send(event)
    if (this.#held) this.#send(this.#held)
    this.#held = undefined
  }

  #send(event: object): void {
    if (this.#fault === 'silence') return
    for (const [socket, id] of this.listeners) socket.send(JSON.stringify({ id, type: 'event', event }))
  }

  #states(id: string): ServiceAnswer {
    const all = [...this.#entities].map(([each, entity]) => createState(each, entity))
    if (!id) return { body: all }
    const found = all.find(({ entity_id: each }) => each === id)
    return found ? { body: found } : { status: 404, body: { message: 'Entity not found.' } }
  }

  #call(domain: string, service: string, data: Data): ServiceAnswer {
    const name = `${domain}.${service}`
    if (name === 'persistent_notification.create') return this.#notify(data)
    const isKnown = SERVICES.some((each) => each.domain === domain && service in each.services)
    if (!isKnown) return { status: 400, body: { message: `Action ${name} not found.` } }
    this.calls.push({ service: name, data })
    const id = String(data['entity_id'])
    const known = this.#entities.get(id)
    if (!known) return { body: [] }
    this.change(id, service === 'turn_on' ? 'on' : 'off')
    return { body: [createState(id, this.#entities.get(id) ?? known)] }
  }

  #notify({ message, notification_id: id }: Data): ServiceAnswer {
    const fault = this.sendFaults.next()
    const refused = fault && refusals[fault]
    if (refused) return refused
    if (typeof message !== 'string' || typeof id !== 'string')
      return { status: 400, body: { message: "required key not provided @ data['message']" } }
    const before = this.notifications.get(id)
    // What looks like a template is kept as one, which no page can show.
    const visible = /\{[{%#]/.test(message) ? '' : wordsOfMarkdown(message, 'marked')
    const versions = [...(before?.versions ?? []), message]
    this.notifications.set(id, { messageId: id, chatId: CHAT, raw: message, visible, versions, buttons: [], files: [] })
    return fault === 'unanswered' ? 'cut' : { body: [] }
  }
}

function entity(state: string, attributes: Data): Entity {
  return { state, attributes, at: new Date(Date.UTC(2026, 0, 1)).toISOString() }
}

function createState(id: string, { state, attributes, at }: Entity) {
  return { entity_id: id, state, attributes, last_changed: at, last_updated: at }
}

/** Answers to notifications that are not taken. */
const refusals: Readonly<Partial<Record<SendFault, ServiceAnswer>>> = {
  unavailable: { status: 503, body: '503: Service Unavailable' },
  lost: 'cut',
  forbidden: { status: 403, body: '403: Forbidden' },
}

const fields = { brightness: { example: 120 } }
const SERVICES = [
  { domain: 'light', services: { turn_on: { description: 'Turns on lights.', fields }, turn_off: { fields: {} } } },
  { domain: 'persistent_notification', services: { create: { fields: {} } } },
  { domain: 'homeassistant', services: { turn_on: {}, restart: {} } },
  { domain: 'shell_command', services: { reboot: {} } },
]

/** The one template that is asked for. */
function templateAnswer({ template }: Data): ServiceAnswer {
  const [, area] = /^\{\{ area_entities\("([^"]*)"\) \| to_json \}\}$/.exec(String(template)) ?? []
  if (area === undefined) return { status: 400, body: { message: 'Error rendering template' } }
  return {
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify(area === 'Kitchen' ? ['light.kitchen'] : []),
  }
}
