/** The length of sounds, by their frames. */
import { drawWaveform, measureSound } from 'svc/sdk/kit/files'
import { describe, expect, test } from 'vitest'
import { amr, mp3Frames, ogg, opus, png, wav } from '../../support/pictures.ts'

const quiet = Array.from({ length: 100 }, () => 20)
const loud = Array.from({ length: 100 }, () => 300)

test('Opus in Ogg is as long as its last page says, without what a player skips', () => {
  expect(measureSound(opus(quiet))).toEqual({ format: 'opus', ms: 2000 })
  expect(measureSound(opus([...quiet, ...loud], { skipped: 0, perPage: 7 }))).toEqual({ format: 'opus', ms: 4000 })
  expect(measureSound(opus([1]))).toEqual({ format: 'opus', ms: 20 })
})

test('WAV, AMR and MP3 are as long as their frames', () => {
  expect(measureSound(wav(Array.from({ length: 12_000 }, () => 5)))).toEqual({ format: 'wav', ms: 1500 })
  expect(measureSound(amr(75))).toEqual({ format: 'amr', ms: 1500 })
  expect(measureSound(mp3Frames(100))).toEqual({ format: 'mp3', ms: 2612 })
  const tagged = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x04abcd', 'latin1'), mp3Frames(10), Buffer.from('TAG')])
  expect(measureSound(tagged)).toEqual({ format: 'mp3', ms: 261 })
})

test('the length of a WAV with an unknown size is computed from its data', () => {
  const streamed = wav(Array.from({ length: 8000 }, () => 5))
  streamed.writeUInt32LE(0xffff_ffff, 40)
  expect(measureSound(streamed)).toEqual({ format: 'wav', ms: 1000 })
})

describe('nothing is said about', () => {
  const whole = opus(quiet)
  const other = opus(quiet)
  other.writeUInt32LE(8, 14)
  test.for<[string, Uint8Array]>([
    ['nothing', Buffer.alloc(0)],
    ['a picture', png()],
    ['Ogg without Opus', ogg()],
    ['an Ogg without sound', opus([])],
    ['an Ogg that is cut off', whole.subarray(0, whole.length - 1)],
    ['an Ogg with something behind it', Buffer.concat([whole, Buffer.from('x')])],
    ['an Ogg with two streams', Buffer.concat([whole, other])],
    ['a WAV without samples', wav([])],
    ['an AMR that is cut off', amr(3).subarray(0, 90)],
    ['an MP3 that is cut off', mp3Frames(3).subarray(0, 1000)],
    ['an MP3 of a rate that does not exist', Buffer.from([0xff, 0xfb, 0xf0, 0x00])],
  ])('%s', ([, bytes]) => {
    const length = measureSound(bytes)
    expect(length).toBeUndefined()
    expect(drawWaveform(bytes, { stepMs: 100, maxPoints: 256 })).toBeUndefined()
  })
})

test('a waveform is higher where packets are larger, with a point for each step, and no more than are wanted', () => {
  const points = drawWaveform(opus([...quiet, ...loud]), { stepMs: 100, maxPoints: 256 })
  expect(points).toHaveLength(40)
  expect([...(points?.subarray(0, 20) ?? [])]).toEqual(Array.from({ length: 20 }, () => 17))
  expect([...(points?.subarray(20) ?? [])]).toEqual(Array.from({ length: 20 }, () => 255))
  expect(drawWaveform(opus([...quiet, ...loud]), { stepMs: 20, maxPoints: 6 })).toHaveLength(6)
  expect(drawWaveform(opus([9]), { stepMs: 100, maxPoints: 256 })).toEqual(new Uint8Array([255]))
  expect(drawWaveform(wav([1, 2, 3]), { stepMs: 100, maxPoints: 256 })).toBeUndefined()
})
