/** What `Platform` promises of files: whole, as one message where it has albums, and none of them when one fails. */
import assert from 'node:assert/strict'
import type { OutboundFile, Platform } from '../../platforms.ts'
import { outboundFile } from '../file.ts'
import { seen } from './contract.ts'
import type { PlatformPeer } from './platform.ts'

/** A connected platform, and an observer of what arrives. */
interface Talk {
  readonly platform: Platform
  readonly peer: PlatformPeer
}

/** Milliseconds; generous, because a machine that tests is busy. */
const ARRIVAL_MS = 3000

/** The cases, by their names. Each passes for a platform without files, and for a peer who does not see them. */
export const fileCases: Readonly<Record<string, (talk: Talk) => Promise<void>>> = {
  'a file arrives whole, with its words, where it takes files': arrivesWhole,
  'an album is one message, where it has albums': isOneMessage,
  'nothing of an album arrives when one of its files cannot be read': allOrNothing,
  'a caption over the limit is refused, or arrives': keepsCaption,
  'files that are sent again with one key arrive once, where it says so': arrivesOnce,
}

/** Bytes that a careless form or encoding would change. */
const content = Buffer.from([0, 255, 13, 10, 45, 45, 10, 13, 128, 192])

/** Files of a kind that may stand together. */
function files(platform: Platform, count: number): readonly OutboundFile[] {
  return Array.from({ length: Math.min(count, platform.limits.album ?? 1) }, (_, at) => {
    return outboundFile(`contract-${at}.pdf`, Buffer.concat([content, Buffer.from([at])]), {
      mediaType: 'application/pdf',
    })
  })
}

/** The files of each message that has some. */
function albums({ files: list }: PlatformPeer): readonly (readonly Uint8Array[])[] {
  return (list?.() ?? []).filter((each) => each.length > 0)
}

async function arrivesWhole({ platform, peer }: Talk): Promise<void> {
  if (!platform.limits.files || !peer.files) return
  const hasCaption = platform.limits.caption !== 0
  const [file] = files(platform, 1)
  const text = hasCaption ? 'the words of a file' : ''
  const receipt = await platform.send({
    chatId: peer.chatId,
    text,
    key: 'contract-file',
    ...(file && { files: [file] }),
  })
  assert.ok(receipt.messageId, 'a receipt lacks the id of its message')
  const [album] = await seen(ARRIVAL_MS, 'the arrival of a file', () =>
    albums(peer).length > 0 ? albums(peer) : undefined,
  )
  assert.deepEqual(album?.map(hex), [hex(await file?.bytes())], 'the file has other bytes')
  if (!hasCaption) return
  await seen(ARRIVAL_MS, 'the words of a file', async () => (await peer.heard()).find((each) => each.includes(text)))
}

async function isOneMessage({ platform, peer }: Talk): Promise<void> {
  const album = files(platform, 3)
  if (album.length < 2 || !peer.files) return
  await platform.send({ chatId: peer.chatId, text: '', key: 'contract-album', files: album })
  await seen(ARRIVAL_MS, 'the arrival of an album', () => albums(peer)[0])
  const wanted = await Promise.all(album.map(async (file) => hex(await file.bytes())))
  assert.deepEqual(
    albums(peer).map((each) => each.map(hex)),
    [wanted],
    'the files are not one message, in their order',
  )
}

async function allOrNothing({ platform, peer }: Talk): Promise<void> {
  const [first, second] = files(platform, 2)
  if (!first || !second || !platform.limits.files || !peer.files) return
  const broken = { ...second, bytes: () => Promise.reject(new Error('the disk is gone')) }
  const sent = platform.send({ chatId: peer.chatId, text: '', key: 'contract-broken', files: [first, broken] })
  await assert.rejects(sent, 'an album is sent although one of its files cannot be read')
  assert.deepEqual(albums(peer), [], 'a part of an album arrived')
}

async function keepsCaption({ platform, peer }: Talk): Promise<void> {
  const { caption, maxTextLength } = platform.limits
  const [file] = files(platform, 1)
  if (!platform.limits.files || !file || caption === 0 || !peer.files) return
  const text = `${'x'.repeat(Math.min(caption ?? maxTextLength, 100_000))}!`
  const isSent = await platform.send({ chatId: peer.chatId, text, key: 'contract-caption', files: [file] }).then(
    () => true,
    () => false,
  )
  if (!isSent) return assert.deepEqual(albums(peer), [], 'a file arrived although its message was refused')
  await seen(ARRIVAL_MS, 'the end of a caption', async () =>
    (await peer.heard()).join('').includes('x!') ? true : undefined,
  )
}

async function arrivesOnce({ platform, peer }: Talk): Promise<void> {
  const { idempotency } = platform.limits
  if (idempotency === 'none' || !platform.limits.files || !peer.files) return
  let note: string | undefined
  const writeNote = (text: string) => {
    note = text
  }
  const message = { chatId: peer.chatId, text: '', key: 'contract-again', files: files(platform, 2), writeNote }
  const first = await platform.send(message)
  const repeated = { ...message, ...(note !== undefined && { note }) }
  const again = await (idempotency === 'key' ? platform.send(repeated) : platform.find?.(repeated))
  assert.equal(again?.messageId, first.messageId, 'the repeated send has another receipt')
  assert.equal(albums(peer).length, 1, 'files arrived more than once')
}

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex')
}
