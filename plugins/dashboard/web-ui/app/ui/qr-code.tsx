/** An address for a phone: a QR code with the same address as text below it. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../client/language.ts'

/** Light modules around the code (ISO/IEC 18004, 6.3.8). */
const QUIET_ZONE = 4

interface Drawn {
  readonly size: number
  /** A path of one square for each dark module. */
  readonly path: string
}

async function draw(address: string): Promise<Drawn> {
  const { encode } = await import('uqr')
  const { data, size } = encode(address, { ecc: 'L', border: QUIET_ZONE })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: squares.join('') }
}

/** Black on white in every skin: a code in other colours is not read by every phone. `title` says what the address is of. */
export function QrCode({ address, title }: { address: string; title: string }) {
  const [drawn, setDrawn] = useState<Drawn>()
  useEffect(() => {
    let isCurrent = true
    draw(address).then(
      (found) => isCurrent && setDrawn(found),
      // An address that is too long for a code is text only.
      () => isCurrent && setDrawn(undefined),
    )
    return () => {
      isCurrent = false
    }
  }, [address])
  return (
    <figure class="qr-code">
      {drawn && (
        <svg role="img" viewBox={`0 0 ${drawn.size} ${drawn.size}`} shape-rendering="crispEdges">
          <title>{t('QR code: {title}', { title })}</title>
          <rect width={drawn.size} height={drawn.size} fill="#fff" />
          <path d={drawn.path} fill="#000" />
        </svg>
      )}
      <figcaption>
        <a href={address} target="_blank" rel="noreferrer" dir="ltr">
          {address}
        </a>
      </figcaption>
    </figure>
  )
}
