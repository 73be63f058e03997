/** Opens the encryption of a connection. */
import type { Logger, Secrets } from 'svc/sdk'
import { deliveryRefused, type GatewayConnection } from 'svc/sdk/platform'
import type { Self } from '../account.ts'
import type { MatrixApi } from '../api.ts'
import { Encryption, type Mode } from './encryption.ts'
import { RoomEncryption } from './room-encryption.ts'

export interface EncryptionOptions {
  readonly api: MatrixApi
  readonly self: Self
  readonly link: GatewayConnection
  /** Of the account at its homeserver: the prefix of its cursors. */
  readonly account: string
  readonly mode: Mode
  readonly isStrict: boolean
  /** Of the keys of all devices. */
  readonly folder: string
  readonly secrets: Secrets
  readonly password: string | undefined
  readonly recoveryKey: string | undefined
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Rejects with `MATRIX_DEVICE_TAKEN`, `MATRIX_KEYS_DAMAGED` or as the homeserver refuses. */
export async function openEncryption(options: EncryptionOptions): Promise<Encryption> {
  const { api, link, account, mode, log } = options
  const rooms = new RoomEncryption(api, link.cursor(`${account} rooms`), log)
  const device = mode === 'off' ? undefined : await openDevice(options)
  return new Encryption({ mode, rooms, device, log })
}

async function openDevice(options: EncryptionOptions) {
  const { api, self, isStrict, folder, secrets, log, signal, password, recoveryKey } = options
  const { userId, deviceId } = self
  if (deviceId === undefined)
    throw deliveryRefused(
      'MATRIX_UNAUTHORIZED',
      'The access token belongs to no device, and encryption needs one. Log in with MATRIX_USER_ID and MATRIX_PASSWORD.',
    )
  const [crypto, { openMachine }, { Device }, { Members }] = await Promise.all([
    import('@matrix-org/matrix-sdk-crypto-wasm'),
    import('./machine.ts'),
    import('./device.ts'),
    import('./members.ts'),
  ])
  const name = { userId, deviceId }
  const rules = { isStrict, password, recoveryKey }
  const open = await openMachine(name, { folder, secrets, log })
  const device = new Device({ api, name, open, crypto, members: new Members(api), log, signal, ...rules })
  try {
    await device.start()
    return device
  } catch (error) {
    await device.close()
    throw error
  }
}
