/**
 * Signs the device of the agent with the keys of its account, so that others see whose it is (spec.matrix.org/latest/client-server-api,
 * cross-signing). An account without such keys gets some; those that it has are never replaced.
 */
import type * as Crypto from '@matrix-org/matrix-sdk-crypto-wasm'
import { errorMessage, type Logger, SvcError } from 'svc/sdk'
import { getAuthSession, type MatrixApi } from '../api.ts'
import type { DeviceName } from './machine.ts'
import type { MachineRequest } from './requests.ts'

export interface CrossSigningDeps {
  readonly api: MatrixApi
  readonly name: DeviceName
  readonly machine: Crypto.OlmMachine
  readonly crypto: typeof Crypto
  readonly log: Logger
  readonly password: string | undefined
  readonly recoveryKey: string | undefined
  /** Performs a request of the machine. */
  ask(request: MachineRequest): Promise<void>
  /** Resolves when the keys are on the disk. */
  stored(): Promise<void>
}

/** Whether the device is signed now. Never rejects: without a signature the device works, and others see a warning. */
export async function crossSign(deps: CrossSigningDeps): Promise<boolean> {
  try {
    if (await isSigned(deps)) return true
    const { hasMaster, hasSelfSigning } = await deps.machine.crossSigningStatus()
    const isPublished = (await deps.machine.getIdentity(getUser(deps))) !== undefined
    if (!isPublished) await publish(deps, !hasMaster)
    else {
      if (!hasSelfSigning) await importKeys(deps)
      await signDevice(deps)
    }
    await deps.stored()
    return true
  } catch (error) {
    deps.log.warn(`The Matrix device of svc is not cross-signed. ${errorMessage(error)}`, { error })
    return false
  }
}

async function isSigned({ crypto, machine, name }: CrossSigningDeps): Promise<boolean> {
  const own = await machine.getDevice(new crypto.UserId(name.userId), new crypto.DeviceId(name.deviceId))
  return own?.isCrossSignedByOwner() ?? false
}

/** Keys that were made and not published are published the next time. */
async function publish(deps: CrossSigningDeps, isNew: boolean): Promise<void> {
  const made = await deps.machine.bootstrapCrossSigning(isNew)
  const { uploadKeysRequest: keys, uploadSigningKeysRequest: signing, uploadSignaturesRequest: signatures } = made
  await deps.stored()
  if (keys) await deps.ask(keys as MachineRequest)
  await upload(deps, JSON.parse(signing.body) as object)
  await deps.ask({ id: signatures.id, type: signatures.type, body: signatures.body })
}

/** Homeservers want the password again for this, or nothing for the first keys of an account. */
async function upload({ api, name, password }: CrossSigningDeps, keys: object): Promise<void> {
  const path = '/client/v3/keys/device_signing/upload'
  try {
    await api.ask({ method: 'POST', path, body: keys })
  } catch (error) {
    const session = getAuthSession(error)
    if (session === undefined) throw error
    if (password === undefined)
      throw new SvcError(
        'MATRIX_FAILED',
        'The homeserver wants the password for it: set MATRIX_USER_ID and MATRIX_PASSWORD.',
        { cause: error },
      )
    const identifier = { type: 'm.id.user', user: name.userId }
    const auth = { type: 'm.login.password', identifier, password, session }
    await api.ask({ method: 'POST', path, body: { ...keys, auth } })
  }
}

async function importKeys({ api, name, machine, recoveryKey }: CrossSigningDeps): Promise<void> {
  if (recoveryKey === undefined)
    throw new SvcError(
      'MATRIX_RECOVERY_KEY',
      'The account has keys for it that another client made: set MATRIX_RECOVERY_KEY to the recovery key that this client shows.',
    )
  const { SecretStorage } = await import('./secret-storage.ts')
  const storage = await SecretStorage.open(api, name.userId, recoveryKey)
  const get = (kind: string) => storage.get(`m.cross_signing.${kind}`)
  const [master, own, users] = [await get('master'), await get('self_signing'), await get('user_signing')]
  const { hasSelfSigning } = await machine.importCrossSigningKeys(master, own, users)
  if (!hasSelfSigning) throw new SvcError('MATRIX_RECOVERY_KEY', 'The secret storage has no key that signs devices.')
}

async function signDevice(deps: CrossSigningDeps): Promise<void> {
  const { crypto, machine, name } = deps
  const own = await machine.getDevice(new crypto.UserId(name.userId), new crypto.DeviceId(name.deviceId))
  const request = await own?.verify()
  if (!request) throw new SvcError('MATRIX_FAILED', 'The homeserver does not know the device of svc.')
  await deps.stored()
  await deps.ask({ id: request.id, type: request.type, body: request.body })
}

function getUser({ crypto, name }: CrossSigningDeps): Crypto.UserId {
  return new crypto.UserId(name.userId)
}
