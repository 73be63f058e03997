/**
 * The keys that a homeserver holds (https://spec.matrix.org/latest/client-server-api/#end-to-end-encryption): those of devices, one-time keys, of
 * which each is given away once, cross-signing keys, and messages to devices, which wait until they were fetched.
 */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import { type Content, failure } from './wire.ts'

/** A device of an account. */
export interface DeviceId {
  readonly userId: string
  readonly deviceId: string
}

interface DeviceKeys {
  readonly keys: Content
  readonly oneTime: Map<string, unknown>
  readonly fallback: Map<string, { readonly key: unknown; isUsed: boolean }>
}

/** A message to a device, and its place in the order of all. */
interface ToDevice {
  readonly at: number
  readonly event: Content
}

type Nested = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const CROSS_SIGNING = ['master_key', 'self_signing_key', 'user_signing_key'] as const
const join = ({ userId, deviceId }: DeviceId): string => `${userId} ${deviceId}`

export class KeyServer {
  readonly #devices: Map<string, DeviceKeys> = new Map()
  readonly #crossSigning: Map<string, Map<string, Content>> = new Map()
  readonly #inboxes: Map<string, ToDevice[]> = new Map()
  readonly #transactions: Set<string> = new Set()
  readonly #changes: { readonly at: number; readonly userId: string }[] = []
  /** Who got a one-time key of whom. */
  readonly claimed: string[] = []
  /** Whether also the first cross-signing keys of an account need its password. */
  wantsPassword = false
  /** Whether messages to devices are held back. */
  isHeld = false
  /** Called when a device has something new to read. */
  onNews: () => void = () => undefined
  #at = 0

  /** The end of the order of all that happened to keys. */
  get at(): number {
    return this.#at
  }

  /** `POST` and `PUT` below `/keys` and `/sendToDevice`. */
  answer(from: DeviceId, path: readonly string[], body: Content): ServiceAnswer {
    const [what, more, transaction] = path
    if (what === 'sendToDevice') return this.#send(from, String(more), String(transaction), body)
    if (more === 'upload') return this.#upload(from, body)
    if (more === 'query') return this.#query(from, body)
    if (more === 'claim') return this.#claim(from, body)
    if (more === 'device_signing') return this.#uploadSigning(from, body)
    if (more === 'signatures') return this.#sign(from, body)
    return failure(404, 'M_UNRECOGNIZED', 'Unrecognized request')
  }

  /** What a sync says about keys to a device that has seen all until `from`. Messages to it that it has seen are deleted. */
  sync(to: DeviceId, from: number): Readonly<Record<string, unknown>> {
    const waiting = (this.#inboxes.get(join(to)) ?? []).filter(({ at }) => at > from)
    this.#inboxes.set(join(to), waiting)
    const changed = new Set(this.#changes.filter(({ at }) => at > from).map(({ userId }) => userId))
    const own = this.#devices.get(join(to))
    const unused = [...(own?.fallback ?? [])].filter(([, { isUsed }]) => !isUsed).map(([id]) => id.split(':')[0])
    return {
      to_device: { events: this.isHeld ? [] : waiting.map(({ event }) => event) },
      device_lists: { changed: [...changed], left: [] },
      device_one_time_keys_count: own ? this.#count(own) : {},
      device_unused_fallback_key_types: [...new Set(unused)],
    }
  }

  /** Whether there is something new for it. */
  hasNews(to: DeviceId, from: number): boolean {
    const waits = !this.isHeld && this.#inboxes.get(join(to))?.some(({ at }) => at > from)
    return waits || this.#changes.some(({ at }) => at > from)
  }

  /** Ids of the devices of a user that have keys. */
  devices(userId: string): readonly string[] {
    const prefix = `${userId} `
    return [...this.#devices.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
  }

  #changed(userId: string): void {
    this.#changes.push({ at: ++this.#at, userId })
    this.onNews()
  }

  #count({ oneTime }: DeviceKeys): Readonly<Record<string, number>> {
    return { signed_curve25519: oneTime.size }
  }

  #upload(from: DeviceId, body: Content): ServiceAnswer {
    const said = body['device_keys'] as Content | undefined
    if (said && (said['user_id'] !== from.userId || said['device_id'] !== from.deviceId))
      return failure(400, 'M_INVALID_PARAM', 'user_id or device_id in device_keys do not match the access token')
    const own = this.#devices.get(join(from)) ?? { keys: {}, oneTime: new Map(), fallback: new Map() }
    const oneTime = Object.entries((body['one_time_keys'] ?? {}) as Content)
    const other = oneTime.find(([id, key]) => !isSame(own.oneTime.get(id) ?? key, key))
    if (other) return failure(400, 'M_UNKNOWN', `One time key ${other[0]} already exists.`)
    for (const [id, key] of oneTime) own.oneTime.set(id, key)
    const fallback = Object.entries((body['fallback_keys'] ?? {}) as Content)
    if (fallback.length > 0) own.fallback.clear()
    for (const [id, key] of fallback) own.fallback.set(id, { key, isUsed: false })
    this.#devices.set(join(from), said ? { ...own, keys: said } : own)
    if (said && !isSame(said, own.keys)) this.#changed(from.userId)
    return { body: { one_time_key_counts: this.#count(own) } }
  }

  #query({ userId: asking }: DeviceId, body: Content): ServiceAnswer {
    const wanted = Object.keys((body['device_keys'] ?? {}) as Content)
    const devices = (userId: string) =>
      Object.fromEntries(
        this.devices(userId).map((id) => [id, this.#devices.get(join({ userId, deviceId: id }))?.keys]),
      )
    const signing = (kind: string) =>
      Object.fromEntries(
        wanted.flatMap((userId) => {
          const key = this.#crossSigning.get(userId)?.get(kind)
          return key && (kind !== 'user_signing_key' || userId === asking) ? [[userId, key]] : []
        }),
      )
    return {
      body: {
        device_keys: Object.fromEntries(wanted.map((userId) => [userId, devices(userId)])),
        failures: {},
        ...Object.fromEntries(CROSS_SIGNING.map((kind) => [`${kind}s`, signing(kind)])),
      },
    }
  }

  /** Each key once; the fallback key when there are no others. */
  #claim(from: DeviceId, body: Content): ServiceAnswer {
    const given: Record<string, Record<string, Content>> = {}
    for (const [userId, devices] of Object.entries((body['one_time_keys'] ?? {}) as Nested))
      for (const deviceId of Object.keys(devices)) {
        const key = this.#give({ userId, deviceId })
        if (!key) continue
        this.claimed.push(`${from.userId} ${join({ userId, deviceId })} ${Object.keys(key)}`)
        given[userId] = { ...given[userId], [deviceId]: key }
      }
    return { body: { one_time_keys: given, failures: {} } }
  }

  #give(device: DeviceId): Content | undefined {
    const own = this.#devices.get(join(device))
    const [first] = own?.oneTime ?? []
    if (first) {
      own?.oneTime.delete(first[0])
      return { [first[0]]: first[1] }
    }
    const [spare] = own?.fallback ?? []
    if (!spare) return undefined
    spare[1].isUsed = true
    return { [spare[0]]: spare[1].key }
  }

  /** A repeated transaction is not delivered again. */
  #send(from: DeviceId, type: string, transaction: string, body: Content): ServiceAnswer {
    const key = `${join(from)} ${type} ${transaction}`
    if (this.#transactions.has(key)) return { body: {} }
    this.#transactions.add(key)
    for (const [userId, devices] of Object.entries((body['messages'] ?? {}) as Nested))
      for (const [deviceId, content] of Object.entries(devices))
        for (const id of deviceId === '*' ? this.devices(userId) : [deviceId]) {
          const inbox = this.#inboxes.get(join({ userId, deviceId: id })) ?? []
          inbox.push({ at: ++this.#at, event: { type, sender: from.userId, content } })
          this.#inboxes.set(join({ userId, deviceId: id }), inbox)
        }
    this.onNews()
    return { body: {} }
  }

  /** New keys in the place of old ones need a password (user-interactive authentication); the first do not (MSC3967). */
  #uploadSigning({ userId }: DeviceId, body: Content): ServiceAnswer {
    const own = this.#crossSigning.get(userId) ?? new Map<string, Content>()
    const auth = body['auth'] as Content | undefined
    const isAllowed = auth?.['session'] === 'uia-1' && auth['password'] === 'correct horse'
    if ((own.size > 0 || this.wantsPassword) && !isAllowed)
      return { status: 401, body: { flows: [{ stages: ['m.login.password'] }], params: {}, session: 'uia-1' } }
    for (const kind of CROSS_SIGNING) {
      const key = body[kind] as Content | undefined
      if (!key) continue
      if (key['user_id'] !== userId) return failure(400, 'M_INVALID_PARAM', 'user_id does not match')
      own.set(kind, key)
    }
    this.#crossSigning.set(userId, own)
    this.#changed(userId)
    return { body: {} }
  }

  /** Adds signatures to what is known; only to devices and keys of the account. */
  #sign({ userId }: DeviceId, body: Content): ServiceAnswer {
    const signed = Object.entries((body[userId] ?? {}) as Nested)
    for (const [id, { signatures }] of signed) {
      const device = this.#devices.get(join({ userId, deviceId: id }))
      const keys = device?.keys ?? [...(this.#crossSigning.get(userId)?.values() ?? [])].find((key) => hasKey(key, id))
      if (!keys) return failure(404, 'M_NOT_FOUND', `No key ${id}`)
      const own = (keys['signatures'] ?? {}) as Record<string, Content>
      const more = ((signatures ?? {}) as Nested)[userId]
      Object.assign(own, { [userId]: { ...own[userId], ...more } })
      Object.assign(keys, { signatures: own })
    }
    this.#changed(userId)
    return { body: { failures: {} } }
  }
}

function hasKey(key: Content, id: string): boolean {
  return Object.values((key['keys'] ?? {}) as Content).includes(id)
}

function isSame(first: unknown, second: unknown): boolean {
  return JSON.stringify(first) === JSON.stringify(second)
}
