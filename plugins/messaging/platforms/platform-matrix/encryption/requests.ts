/** Requests of the crypto machine to the homeserver (spec.matrix.org/latest/client-server-api, end-to-end encryption). */
import type { OlmMachine, RequestType } from '@matrix-org/matrix-sdk-crypto-wasm'
import type { MatrixApi } from '../api.ts'

/** One of them; which fields there are depends on its type. */
export interface MachineRequest {
  readonly id: string | undefined
  readonly type: RequestType
  readonly body: string
  readonly event_type?: string
  readonly txn_id?: string
}

/** The numbers of `RequestType`, which is a value of a library that is loaded late. */
const KINDS = { upload: 0, query: 1, claim: 2, toDevice: 3, signatures: 4, roomMessage: 5, backup: 6 } as const

const PATHS: Readonly<Record<number, string>> = {
  [KINDS.upload]: '/client/v3/keys/upload',
  [KINDS.query]: '/client/v3/keys/query',
  [KINDS.claim]: '/client/v3/keys/claim',
  [KINDS.signatures]: '/client/v3/keys/signatures/upload',
}

/** Sends a request and gives its answer to the machine. Rejects as the homeserver refuses; the machine then makes it again. */
export async function perform(
  { api, machine, signal }: { readonly api: MatrixApi; readonly machine: OlmMachine; readonly signal: AbortSignal },
  request: MachineRequest,
): Promise<void> {
  const { id, type, body } = request
  const target = getTarget(request)
  if (!target) return
  const answer = await api.ask({ ...target, body: JSON.parse(body), signal })
  if (id !== undefined) await machine.markRequestAsSent(id, type, JSON.stringify(answer))
}

/** Undefined for requests that are not made here: backups of keys, and messages of verifications. */
function getTarget({ type, event_type, txn_id }: MachineRequest) {
  const path = PATHS[type]
  if (path) return { method: 'POST', path }
  if (type !== KINDS.toDevice || event_type === undefined || txn_id === undefined) return undefined
  // The transaction id stays the same until the request was answered, over restarts, too.
  const parts = [event_type, txn_id].map(encodeURIComponent).join('/')
  return { method: 'PUT', path: `/client/v3/sendToDevice/${parts}` }
}
