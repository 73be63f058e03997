/** Opens the keys of one device: its crypto machine over a file in the home, encrypted with a key in another file. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OlmMachine } from '@matrix-org/matrix-sdk-crypto-wasm'
import type { Logger, Secrets } from 'svc/sdk'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import { damaged, Journal } from './journal.ts'
import type { Step } from './recording.ts'

const KEY_BYTES = 32
/** A file that is shorter is not rewritten. */
const MIN_REWRITE_BYTES = 4_194_304

/** The account and device whose keys are opened. */
export interface DeviceName {
  readonly userId: string
  readonly deviceId: string
}

/** An open machine. While it is open, no other process opens the same device: the gateway holds the account. */
export interface OpenMachine {
  readonly machine: OlmMachine
  /** Rejects with `MATRIX_KEYS_UNSTORED` unless all changes are on the disk. To be awaited before anything is sent that depends on them. */
  stored(): Promise<void>
  /** Shortens the file if it has grown. No call of the machine may be running. */
  shorten(): Promise<void>
  close(): void
}

/** What opening needs. */
export interface MachineDeps {
  /** The folder of all devices. */
  readonly folder: string
  readonly secrets: Secrets
  readonly log: Logger
}

/** Throws `MATRIX_KEYS_DAMAGED` when the files of the device cannot be used. */
export async function openMachine(device: DeviceName, { folder, secrets, log }: MachineDeps): Promise<OpenMachine> {
  const [crypto, { getFactory }] = await Promise.all([
    import('@matrix-org/matrix-sdk-crypto-wasm'),
    import('./indexeddb.ts'),
  ])
  const own = join(folder, nameFolder(device))
  mkdirSync(own, { recursive: true, mode: 0o700 })
  const file = join(own, 'state')
  const key = readKey(own, file)
  secrets.protect(key.toString('base64'))
  secrets.protect(key.toString('hex'))
  const { journal, records } = Journal.open(file)
  const factory = getFactory()
  const prefix = `svc ${own}`
  try {
    await crypto.initAsync()
    await factory.load(prefix, records as readonly Step[], (step) => journal.append(step))
    const logger = createLogger(log)
    const handle = await crypto.StoreHandle.openWithKey(prefix, key, logger)
    const { userId, deviceId } = device
    const names = [new crypto.UserId(userId), new crypto.DeviceId(deviceId)] as const
    const machine = await crypto.OlmMachine.initFromStore(...names, handle, logger)
    await journal.flushed()
    let base = journal.size
    return {
      machine,
      stored: () => journal.flushed(),
      shorten: async () => {
        if (journal.size < Math.max(MIN_REWRITE_BYTES, 4 * base)) return
        await journal.flushed()
        journal.replace(await factory.dump(prefix))
        base = journal.size
      },
      close: () => {
        machine.close()
        factory.release(prefix)
        journal.close()
      },
    }
  } catch (error) {
    factory.release(prefix)
    journal.close()
    throw records.length > 0 ? damaged(file, error) : error
  }
}

function nameFolder({ userId, deviceId }: DeviceName): string {
  return createHash('sha256')
    .update(JSON.stringify([userId, deviceId]))
    .digest('hex')
    .slice(0, 24)
}

/** Without the key the state cannot be read; a new key for an old state would only hide that. */
function readKey(folder: string, state: string): Buffer {
  const file = join(folder, 'key')
  if (existsSync(file)) {
    const key = readFileSync(file)
    if (key.length === KEY_BYTES) return key
    throw damaged(file)
  }
  if (existsSync(state)) throw damaged(file)
  const key = randomBytes(KEY_BYTES)
  writeAtomicallySync(file, key, { mode: 0o600 })
  return key
}

/** The library is talkative; its warnings concern single messages of others. */
function createLogger(log: Logger) {
  const say = (message: unknown) => log.debug('crypto library', { message: String(message) })
  return { trace: () => undefined, debug: () => undefined, info: () => undefined, warn: say, error: say }
}
