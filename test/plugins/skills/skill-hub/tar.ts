/** Makes tar archives: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html */

export interface TarEntry {
  readonly name: string
  /** `0`: a file, when it is left out. */
  readonly kind?: string
  readonly text?: string
}

export function tar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(({ name, kind = '0', text = '' }) => {
    const data = Buffer.from(text)
    const header = Buffer.alloc(512)
    header.write(name, 0, 100)
    header.write('0000644\0', 100)
    header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write(' '.repeat(8), 148)
    header.write(kind, 156)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((all, byte) => all + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return Buffer.concat([...parts, Buffer.alloc(1024)])
}
