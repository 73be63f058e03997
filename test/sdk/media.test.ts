import fc from 'fast-check'
import { SvcError, type Usage } from 'svc/sdk'
import { encodeMultipartForm, runWithinBudget } from 'svc/sdk/media'
import type { Budgets } from 'svc/sdk/safety'
import { expect, test } from 'vitest'

const boundary = '0123456789abcdef0123456789abcdef'

/** Reads a form as a server does. */
async function parse(form: ReturnType<typeof encodeMultipartForm>): Promise<FormData> {
  return new Response(new Blob([Buffer.from(form.body)]), { headers: { 'content-type': form.contentType } }).formData()
}

test('a form is read by others as it was meant, whatever is in its fields and its file', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((value) => !value.includes(boundary))
  await fc.assert(
    fc.asyncProperty(text, fc.uint8Array({ maxLength: 200 }), async (prompt, bytes) => {
      const file = { field: 'file', name: 'sound.mp3', mediaType: 'audio/mpeg', bytes }
      const form = await parse(encodeMultipartForm({ model: 'm-1', prompt }, file, boundary))
      expect([form.get('model'), form.get('prompt')]).toEqual(['m-1', Buffer.from(prompt).toString()])
      const sent = form.get('file') as File
      expect([sent.name, sent.type]).toEqual(['sound.mp3', 'audio/mpeg'])
      expect(new Uint8Array(await sent.arrayBuffer())).toEqual(bytes)
    }),
    { numRuns: 50 },
  )
})

test('names in a form cannot end their line', () => {
  const file = { field: 'a"b', name: 'x"\r\nevil: 1', mediaType: 'image/png', bytes: new Uint8Array() }
  const head = Buffer.from(encodeMultipartForm({}, file, boundary).body)
    .toString()
    .split('\r\n')[1]
  expect(head).toBe('content-disposition: form-data; name="a%22b"; filename="x%22%0D%0Aevil: 1"')
})

function ledger() {
  const notes: (string | Usage)[] = []
  let isOver = false
  const reservation = {
    settle(usage: Usage) {
      if (!isOver) notes.push(usage)
      isOver = true
      return usage
    },
    release() {
      if (!isOver) notes.push('released')
      isOver = true
    },
  }
  const budgets = {
    async hold() {
      notes.push('held')
      return reservation
    },
  } as unknown as Budgets
  return { notes, budgets }
}

const call = (run: () => Promise<string>, signal = new AbortController().signal) => ({
  spender: { purpose: 'image', provider: 'p', model: 'm' },
  estimate: { inputTokens: 1, outputTokens: 2 },
  ...{ signal, run },
  usage: () => ({ output: 9 }),
})

test('a paid call holds room before and settles what it took', async () => {
  const { notes, budgets } = ledger()
  expect(
    await runWithinBudget(
      budgets,
      call(async () => 'done'),
    ),
  ).toBe('done')
  expect(notes).toEqual(['held', { output: 9 }])
  expect(
    await runWithinBudget(
      undefined,
      call(async () => 'done'),
    ),
  ).toBe('done')
})

test('a refused call costs nothing, one that broke off may have cost something', async () => {
  const outcome = async (error: Error) => {
    const { notes, budgets } = ledger()
    await expect(
      runWithinBudget(
        budgets,
        call(() => Promise.reject(error)),
      ),
    ).rejects.toBe(error)
    return notes.at(-1)
  }
  expect(await outcome(new SvcError('X', 'refused'))).toBe('released')
  const cut = new SvcError('NET_CLOSED', 'cut')
  expect(await outcome(new SvcError('X', 'cut', { cause: cut }))).toEqual({})
})

test('an interrupted call counts only when it had begun', async () => {
  const { notes, budgets } = ledger()
  const controller = new AbortController()
  const begun = async () => {
    controller.abort(new Error('stop'))
    throw controller.signal.reason
  }
  await expect(runWithinBudget(budgets, call(begun, controller.signal))).rejects.toThrow('stop')
  expect(notes).toEqual(['held', {}])
  await expect(runWithinBudget(budgets, call(begun, controller.signal))).rejects.toThrow('stop')
  expect(notes).toHaveLength(2)
})
