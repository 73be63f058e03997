/** Takes secrets out of the files of a profile that is exported. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secrets } from 'svc/sdk'
import {
  compileMask,
  isSecretSetting,
  isVariableReference,
  maskSecretComments,
  maskUrlPasswords,
} from 'svc/sdk/kit/text'
import { isNode, isScalar, parseDocument, visit } from 'yaml'
import type { HomeContext } from './profile-folders.ts'

type Mask = (text: string) => string

const STARS = '***'
const MIN_VALUE = 6
const MIN_WORD = 4

/** Hides the values of a profile's `.env`, and what this process knows to be secret. */
export async function createMask(ctx: HomeContext, home: string): Promise<Mask> {
  const secrets = ctx.use(Secrets)
  const { parse } = await import('dotenv')
  const values = Object.values(parse(readEnv(home))).map((value) => value.trim())
  const words = values.filter(({ length }) => length >= MIN_WORD && length < MIN_VALUE)
  const own = compileMask(
    values.filter(({ length }) => length >= MIN_VALUE),
    words.filter((value) => !/^(?:true|false|none|\d+)$/i.test(value)),
  )
  return (text) => maskUrlPasswords(secrets.mask(own(text)))
}

/** The content without secrets; undefined for one that is not text and has some, or that cannot be told to have none. */
export function maskFile(path: string, data: Uint8Array, mask: Mask): Uint8Array | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const text = bytes.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(bytes))
    return mask(bytes.toString('latin1')) === bytes.toString('latin1') ? data : undefined
  const shown = path === 'config.yaml' ? maskSettings(text) : text
  if (shown === undefined) return undefined
  const masked = mask(shown)
  return masked === text ? data : Buffer.from(masked, 'utf8')
}

/** Also what has the name of a secret. Undefined for a text that is not YAML: what is secret in it is not known. */
function maskSettings(text: string): string | undefined {
  const document = parseDocument(text)
  if (document.errors.length > 0) return undefined
  const spans: (readonly [start: number, end: number])[] = []
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !isSecretSetting(String(key.value)) || !isNode(value)) return
      visit(value, {
        Scalar: (__, { value: secret, range }) => {
          if (range && typeof secret === 'string' && secret !== '' && !isVariableReference(secret))
            spans.push([range[0], range[1]])
        },
      })
      return visit.SKIP
    },
  })
  let masked = text
  for (const [start, end] of spans.sort(([one], [two]) => two - one)) {
    // The end of a text of several lines is behind its last one.
    const after = /^[|>]/.test(text.slice(start, end)) ? '\n' : ''
    masked = `${masked.slice(0, start)}"${STARS}"${after}${masked.slice(end)}`
  }
  return maskSecretComments(masked)
}

function readEnv(home: string): string {
  try {
    return readFileSync(join(home, '.env'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
