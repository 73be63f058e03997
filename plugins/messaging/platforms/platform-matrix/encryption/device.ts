/**
 * The device of the agent as others see it: its keys at the homeserver, what it encrypts and what it can read. One thing is done at a time, so that
 * no key is shared twice and none is used before it is on the disk.
 */
import { createHash } from 'node:crypto'
import type * as Crypto from '@matrix-org/matrix-sdk-crypto-wasm'
import { errorMessage, type Logger, tryParseJson } from 'svc/sdk'
import { setBounded } from 'svc/sdk/kit/state'
import { deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'
import { isLoggedOut, type MatrixApi } from '../api.ts'
import { type RoomEvent, readEvent, type Sync } from '../events.ts'
import { crossSign } from './cross-signing.ts'
import type { DeviceName, OpenMachine } from './machine.ts'
import type { Members } from './members.ts'
import { type MachineRequest, perform } from './requests.ts'
import type { RoomSettings } from './room-encryption.ts'

export const ALGORITHM = 'm.megolm.v1.aes-sha2'
/** Messages that are recognised when they come again under another id. */
const MAX_READ = 5000

const deviceKeys = z.object({
  device_keys: z.record(z.string(), z.record(z.string(), z.object({ keys: z.record(z.string(), z.string()) }))),
})

/** What came of an event: it, or why it cannot be read; `missing`: its key may still come. */
export type Unsealed =
  | { readonly event: RoomEvent }
  | { readonly failure: 'missing' | 'withheld' | 'untrusted' | 'broken'; readonly reason: string }

export interface DeviceDeps {
  readonly api: MatrixApi
  readonly name: DeviceName
  readonly open: OpenMachine
  readonly crypto: typeof Crypto
  readonly members: Members
  readonly log: Logger
  readonly signal: AbortSignal
  /** Only devices that their owners have cross-signed get messages, and are read. */
  readonly isStrict: boolean
  readonly password: string | undefined
  readonly recoveryKey: string | undefined
}

export class Device {
  readonly #deps: DeviceDeps
  /** Hashes of messages that were read, and their ids. */
  readonly #read: Map<string, string> = new Map()
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #isSigned = false

  constructor(deps: DeviceDeps) {
    this.#deps = deps
  }

  get members(): Members {
    return this.#deps.members
  }

  /** Publishes the keys. Rejects with `MATRIX_DEVICE_TAKEN` when the device has keys of another client. */
  start(): Promise<void> {
    return this.#alone(async () => {
      await this.#checkOwner()
      await this.#askAll()
      const { machine, stored } = this.#deps.open
      this.#isSigned = await crossSign({ ...this.#deps, machine, stored, ask: (request) => this.#ask(request) })
    })
  }

  /** Takes what a sync brings for the device. What it brings again after a crash changes nothing. */
  receive(sync: Sync): Promise<void> {
    const { machine } = this.#deps.open
    const {
      to_device,
      device_lists,
      device_one_time_keys_count: counts,
      device_unused_fallback_key_types: types,
    } = sync
    return this.#alone(async () => {
      const lists = new this.#deps.crypto.DeviceLists(this.#users(device_lists.changed), this.#users(device_lists.left))
      const unused = types && new Set(types)
      await machine.receiveSyncChanges(
        JSON.stringify(to_device.events),
        lists,
        new Map(Object.entries(counts)),
        ...([unused, this.#decryption()] as [Set<string>, Crypto.DecryptionSettings]),
      )
      await this.#deps.open.stored()
      await this.#askAll().catch((error: unknown) => {
        if (isLoggedOut(error)) throw error
        this.#deps.log.warn('keys could not be exchanged with the homeserver; it is tried again', { error })
      })
      await this.#deps.open.shorten()
    })
  }

  /** The content of the `m.room.encrypted` that says the same. Its keys were given to all who may read it. */
  async encrypt(
    roomId: string,
    message: { readonly type: string; readonly content: object; readonly settings: RoomSettings },
  ): Promise<object> {
    const { machine, stored } = this.#deps.open
    const { crypto, members, isStrict } = this.#deps
    if (isStrict && !this.#isSigned)
      throw deliveryRefused(
        'MATRIX_NOT_VERIFIED',
        'The Matrix device of svc is not cross-signed, which encryption_devices: cross_signed needs. The log says why; correct it and connect again.',
      )
    return this.#alone(async () => {
      const people = await members.list(roomId)
      await machine.updateTrackedUsers(this.#users(people))
      await this.#askAll()
      const claim = await machine.getMissingSessions(this.#users(people))
      if (claim) await this.#ask(claim)
      const settings = this.#encryption(message.settings)
      const shares = await machine.shareRoomKey(new crypto.RoomId(roomId), this.#users(people), settings)
      for (const share of shares) await this.#ask(share)
      const text = JSON.stringify(message.content)
      const encrypted = await machine.encryptRoomEvent(new crypto.RoomId(roomId), message.type, text)
      await stored()
      return JSON.parse(encrypted) as object
    })
  }

  /** Never rejects because of the event. */
  decrypt(roomId: string, event: RoomEvent): Promise<Unsealed> {
    const { machine } = this.#deps.open
    const { crypto } = this.#deps
    return this.#alone(async () => {
      const text = JSON.stringify({ ...event, room_id: roomId })
      try {
        const { event: clear } = await machine.decryptRoomEvent(text, new crypto.RoomId(roomId), this.#decryption())
        const read = readEvent(tryParseJson(clear)?.value)
        if (!read || this.#isRepeated(event)) return { failure: 'broken', reason: 'The message is not a new one.' }
        return { event: read }
      } catch (error) {
        return this.#explain(error)
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#last
    this.#deps.open.close()
  }

  /** Runs `work` with the machine, after what was begun before. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      if (this.#isClosed) throw new Error('The connection to Matrix has ended.')
      return work()
    })
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Another client with the same access token would publish keys in the place of ours, and the other way round. */
  async #checkOwner(): Promise<void> {
    const { api, name, open, signal } = this.#deps
    const { userId, deviceId } = name
    const body = { device_keys: { [userId]: [] } }
    const answer = await api.ask({ method: 'POST', path: '/client/v3/keys/query', body, signal })
    const published = deviceKeys.safeParse(answer).data?.device_keys[userId]?.[deviceId]?.keys[`ed25519:${deviceId}`]
    if (published === undefined || published === open.machine.identityKeys.ed25519.toBase64()) return
    const advice =
      'Give svc a device of its own: set MATRIX_USER_ID and MATRIX_PASSWORD, or an access token that no other client uses.'
    throw deliveryRefused(
      'MATRIX_DEVICE_TAKEN',
      `The device ${deviceId} of ${userId} has keys that this home does not have: another client made them, or they were lost. ${advice}`,
    )
  }

  async #askAll(): Promise<void> {
    for (const request of await this.#deps.open.machine.outgoingRequests()) await this.#ask(request as MachineRequest)
  }

  async #ask(request: MachineRequest): Promise<void> {
    const { api, open, signal } = this.#deps
    await open.stored()
    await perform({ api, machine: open.machine, signal }, request)
  }

  #encryption({ rotation_period_ms: ms, rotation_period_msgs: messages }: RoomSettings): Crypto.EncryptionSettings {
    const { crypto, isStrict } = this.#deps
    const settings = new crypto.EncryptionSettings()
    if (ms !== undefined) settings.rotationPeriod = BigInt(ms) * 1000n
    if (messages !== undefined) settings.rotationPeriodMessages = BigInt(messages)
    const { CollectStrategy } = crypto
    settings.sharingStrategy = isStrict ? CollectStrategy.identityBasedStrategy() : CollectStrategy.allDevices()
    return settings
  }

  #decryption(): Crypto.DecryptionSettings {
    const { crypto, isStrict } = this.#deps
    const { CrossSigned, Untrusted } = crypto.TrustRequirement
    return new crypto.DecryptionSettings(isStrict ? CrossSigned : Untrusted)
  }

  /** Ids are used up by a call. What is no id is left out. */
  #users(ids: readonly string[]): Crypto.UserId[] {
    return ids.flatMap((id) => {
      try {
        return [new this.#deps.crypto.UserId(id)]
      } catch {
        this.#deps.log.debug('the homeserver named a user whose id is not one', { user: id })
        return []
      }
    })
  }

  /** The same ciphertext under another id: a homeserver has repeated a message. */
  #isRepeated({ content, event_id: id = '' }: RoomEvent): boolean {
    const hash = createHash('sha256').update(`${content['session_id']} ${content['ciphertext']}`).digest('base64')
    const before = this.#read.get(hash)
    setBounded(this.#read, hash, before ?? id, MAX_READ)
    return before !== undefined && before !== id
  }

  #explain(error: unknown): Unsealed {
    const { MegolmDecryptionError, DecryptionErrorCode: codes } = this.#deps.crypto
    if (!(error instanceof MegolmDecryptionError)) return { failure: 'broken', reason: errorMessage(error) }
    const { code, description: reason, withheldCode } = error
    if (withheldCode !== undefined) return { failure: 'withheld', reason }
    if (code === codes.MissingRoomKey || code === codes.UnknownMessageIndex) return { failure: 'missing', reason }
    const untrusted: unknown[] = [
      codes.UnknownSenderDevice,
      codes.UnsignedSenderDevice,
      codes.SenderIdentityVerificationViolation,
    ]
    return { failure: untrusted.includes(code) ? 'untrusted' : 'broken', reason }
  }
}
