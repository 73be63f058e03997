/** The service, of its parts. */
import type { TextLayout } from 'svc/sdk/terminal'
import { clean } from './clean-text.ts'
import { cut, pad } from './cut-lines.ts'
import { graphemes } from './graphemes.ts'
import { lineWidth, width } from './width.ts'
import { wrap } from './wrap.ts'

/** Contract: `TextLayout` of the SDK. */
export const textLayout = (): TextLayout => ({ graphemes, width, clean, lineWidth, wrap, cut, pad })
