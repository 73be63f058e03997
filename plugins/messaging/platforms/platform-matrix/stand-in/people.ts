/**
 * Clients of people in encrypted rooms: each is a crypto machine of its own, which knows of the agent what the homeserver tells it. The store of
 * such a client is in memory.
 */

import type * as Crypto from '@matrix-org/matrix-sdk-crypto-wasm'
import type { OlmMachine } from '@matrix-org/matrix-sdk-crypto-wasm'
import type { DeviceId, KeyServer } from './keys.ts'
import { type StoredSecrets, storeSecrets } from './secret-storage.ts'
import type { Content } from './wire.ts'

/** One device of a person. */
export class PersonDevice {
  readonly id: DeviceId
  readonly machine: OlmMachine
  readonly #keys: KeyServer
  readonly #crypto: typeof Crypto
  #seen = 0
  #last: Promise<unknown> = Promise.resolve()

  private constructor(id: DeviceId, deps: { machine: OlmMachine; keys: KeyServer; crypto: typeof Crypto }) {
    this.id = id
    this.machine = deps.machine
    this.#keys = deps.keys
    this.#crypto = deps.crypto
  }

  /** Whether its owner has signed the device of another. */
  sees(userId: string, deviceId: string): Promise<boolean> {
    return this.#alone(async () => {
      const { DeviceId, UserId } = this.#crypto
      await this.machine.updateTrackedUsers([new UserId(userId)])
      await this.#sync()
      const device = await this.machine.getDevice(new UserId(userId), new DeviceId(deviceId))
      return device?.isCrossSignedByOwner() ?? false
    })
  }

  /** Stores the cross-signing keys of the person at the homeserver; the recovery key for them. */
  async storeSecrets(): Promise<StoredSecrets> {
    const keys = await this.machine.exportCrossSigningKeys()
    return storeSecrets({
      'm.cross_signing.master': keys?.masterKey ?? '',
      'm.cross_signing.self_signing': keys?.self_signing_key ?? '',
      'm.cross_signing.user_signing': keys?.userSigningKey ?? '',
    })
  }

  static async create(id: DeviceId, keys: KeyServer): Promise<PersonDevice> {
    const crypto = await import('@matrix-org/matrix-sdk-crypto-wasm')
    await crypto.initAsync()
    const quiet = { trace: () => 0, debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 }
    const names = [new crypto.UserId(id.userId), new crypto.DeviceId(id.deviceId)] as const
    const machine = await crypto.OlmMachine.initialize(...names, undefined, undefined, quiet)
    const device = new PersonDevice(id, { machine, keys, crypto })
    await device.sync()
    return device
  }

  /** Reads what came for the device, and publishes what others need. */
  sync(): Promise<void> {
    return this.#alone(() => this.#sync())
  }

  /** Encrypts for all devices of these users, which get the key before. */
  encrypt(roomId: string, users: readonly string[], message: { readonly type: string; readonly content: Content }) {
    return this.#alone(async () => {
      await this.#sync()
      await this.#shareKey(roomId, users)
      const text = JSON.stringify(message.content)
      const encrypted = await this.machine.encryptRoomEvent(new this.#crypto.RoomId(roomId), message.type, text)
      return JSON.parse(encrypted) as Content
    })
  }

  /** Undefined when it has no key for the event. */
  decrypt(event: Content, roomId: string): Promise<Content | undefined> {
    return this.#alone(async () => {
      await this.#sync()
      const { DecryptionSettings, RoomId, TrustRequirement } = this.#crypto
      const settings = new DecryptionSettings(TrustRequirement.Untrusted)
      try {
        const { event: clear } = await this.machine.decryptRoomEvent(
          JSON.stringify(event),
          new RoomId(roomId),
          settings,
        )
        return (JSON.parse(clear) as { content: Content }).content
      } catch {
        return undefined
      }
    })
  }

  /** Cross-signs the device, as a person does in a client. */
  crossSign(): Promise<void> {
    return this.#alone(async () => {
      const made = await this.machine.bootstrapCrossSigning(true)
      const { uploadKeysRequest: keys, uploadSigningKeysRequest: signing, uploadSignaturesRequest: signatures } = made
      if (keys) await this.#ask(keys)
      this.#keys.answer(this.id, ['keys', 'device_signing', 'upload'], JSON.parse(signing.body) as Content)
      this.#keys.answer(this.id, ['keys', 'signatures', 'upload'], JSON.parse(signatures.body) as Content)
      await this.#sync()
    })
  }

  async #sync(): Promise<void> {
    const { DeviceLists, UserId } = this.#crypto
    const at = this.#keys.at
    const news = this.#keys.sync(this.id, this.#seen) as {
      to_device: { events: unknown[] }
      device_lists: { changed: string[] }
      device_one_time_keys_count: Record<string, number>
      device_unused_fallback_key_types: string[]
    }
    if (!this.#keys.isHeld) this.#seen = at
    const changed = news.device_lists.changed.map((id) => new UserId(id))
    await this.machine.receiveSyncChanges(
      JSON.stringify(news.to_device.events),
      new DeviceLists(changed, []),
      new Map(Object.entries(news.device_one_time_keys_count)),
      new Set(news.device_unused_fallback_key_types),
    )
    for (const request of await this.machine.outgoingRequests()) await this.#ask(request as OutgoingRequest)
  }

  async #shareKey(roomId: string, users: readonly string[]): Promise<void> {
    const { EncryptionSettings, RoomId, UserId } = this.#crypto
    const list = () => users.map((id) => new UserId(id))
    await this.machine.updateTrackedUsers(list())
    for (const request of await this.machine.outgoingRequests()) await this.#ask(request as OutgoingRequest)
    const claim = await this.machine.getMissingSessions(list())
    if (claim) await this.#ask(claim)
    const settings = new EncryptionSettings()
    settings.sharingStrategy = this.#crypto.CollectStrategy.allDevices()
    for (const share of await this.machine.shareRoomKey(new RoomId(roomId), list(), settings)) await this.#ask(share)
  }

  async #ask(request: OutgoingRequest): Promise<void> {
    const { id, type, body, event_type: event = '', txn_id: transaction = '' } = request
    const { RequestType: kinds } = this.#crypto
    const paths: Readonly<Record<number, readonly string[]>> = {
      [kinds.KeysUpload]: ['keys', 'upload'],
      [kinds.KeysQuery]: ['keys', 'query'],
      [kinds.KeysClaim]: ['keys', 'claim'],
      [kinds.SignatureUpload]: ['keys', 'signatures', 'upload'],
      [kinds.ToDevice]: ['sendToDevice', event, transaction],
    }
    const path = paths[type]
    if (!path || id === undefined) return
    const answer = this.#keys.answer(this.id, path, JSON.parse(body) as Content) as { status?: number; body: object }
    if (answer.status !== undefined)
      throw new Error(`The stand-in refused ${path.join('/')}: ${JSON.stringify(answer)}`)
    await this.machine.markRequestAsSent(id, type, JSON.stringify(answer.body))
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}

interface OutgoingRequest {
  readonly id: string | undefined
  readonly type: number
  readonly body: string
  readonly event_type?: string
  readonly txn_id?: string
}

/** The devices of all people. */
export class People {
  readonly #keys: KeyServer
  readonly #devices: Map<string, Promise<PersonDevice>[]> = new Map()
  /** What encrypted events of the agent say, by their ids; what no device could read is missing. */
  readonly read: Map<string, Content> = new Map()
  /** Events that no device had a key for. */
  readonly #unread: Parameters<People['readBy']>[] = []

  constructor(keys: KeyServer) {
    this.#keys = keys
  }

  /** The first device of a person, made when it is asked for. */
  device(userId: string): Promise<PersonDevice> {
    const [first] = this.#devices.get(userId) ?? [this.add(userId)]
    return first as Promise<PersonDevice>
  }

  /** Another device of a person. */
  add(userId: string): Promise<PersonDevice> {
    const all = this.#devices.get(userId) ?? []
    const name = userId.slice(1).split(':')[0]?.toUpperCase()
    const made = PersonDevice.create({ userId, deviceId: `${name}${all.length + 1}` }, this.#keys)
    this.#devices.set(userId, [...all, made])
    return made
  }

  /** Has all devices of these users read an event. */
  async readBy(users: readonly string[], event: Content, roomId: string): Promise<void> {
    for (const userId of users)
      for (const device of this.#devices.get(userId) ?? []) {
        const content = await (await device).decrypt(event, roomId)
        if (content) this.read.set(String(event['event_id']), content)
      }
    if (!this.read.has(String(event['event_id']))) this.#unread.push([users, event, roomId])
  }

  /** Has them read what came before its key, as clients do when a key comes late. */
  async readLate(): Promise<void> {
    for (const unread of this.#unread.splice(0)) await this.readBy(...unread)
  }
}
