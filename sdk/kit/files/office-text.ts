/** The text of Office Open XML and OpenDocument files: XML in a zip archive. */

/** Unpacked, of all parts that are read: a small archive may hold a huge one. */
const MAX_UNPACKED = 100 * 2 ** 20

/** The parts with the text, by the kind of document. */
const KINDS = [
  { kind: 'a Word document', parts: /^word\/(document|footnotes|endnotes)\.xml$/ },
  { kind: 'an Excel workbook', parts: /^xl\/(sharedStrings|workbook|worksheets\/sheet\d+)\.xml$/ },
  { kind: 'a PowerPoint presentation', parts: /^ppt\/(slides\/slide|notesSlides\/notesSlide)\d+\.xml$/ },
  { kind: 'an OpenDocument file', parts: /^content\.xml$/ },
] as const

type Parts = ReadonlyMap<string, string>

/** Undefined for an archive that is no such document. Rejects for a damaged one, and for one that unpacks to too much. */
export async function officeText(bytes: Uint8Array): Promise<{ kind: string; text: string } | undefined> {
  const { unzipSync, strFromU8 } = await import('fflate')
  let size = 0
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!KINDS.some(({ parts }) => parts.test(name))) return false
      size += originalSize
      if (size > MAX_UNPACKED) throw new Error(`it unpacks to more than ${MAX_UNPACKED / 2 ** 20} MB`)
      return true
    },
  })
  const found = KINDS.find(({ parts }) => Object.keys(files).some((name) => parts.test(name)))
  if (!found) return undefined
  const named = Object.entries(files).filter(([name]) => found.parts.test(name))
  const parts = new Map(named.map(([name, data]) => [name, strFromU8(data)]))
  return { kind: found.kind, text: readText(found.kind, parts) }
}

function readText(kind: (typeof KINDS)[number]['kind'], parts: Parts): string {
  if (kind === 'an Excel workbook') return sheets(parts)
  if (kind === 'a PowerPoint presentation') return slides(parts)
  return [...parts.values()].map(paragraphs).join('\n\n').trim()
}

/**
 * Paragraphs, breaks and tabs of WordprocessingML, DrawingML and OpenDocument; cells of a table are separated by tabs. All
 * patterns are linear: a document may be hostile.
 */
function paragraphs(xml: string): string {
  const text = xml
    .replace(/[\r\n]+/g, ' ')
    .replace(/<w:(delText|instrText)\b[^<>]*>[^<]*/g, '')
    .replace(/<(?:w:tab|text:tab)\b[^<>]*>|<\/table:table-cell>/g, '\t')
    .replace(/<text:s\b[^<>]*>/g, ' ')
    .replace(/<\/w:p><\/w:tc>/g, '\t')
    .replace(/<(?:w:br|w:cr|a:br|text:line-break)\b[^<>]*>|<\/(?:w:p|a:p|text:p|text:h|w:tr|table:table-row)>/g, '\n')
    .replace(/<[^<>]*>/g, '')
  const lines = decode(text)
    .split('\n')
    .map((line) => line.trimEnd())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function slides(parts: Parts): string {
  const numbers = [...parts.keys()].flatMap((name) => /slides\/slide(\d+)\.xml$/.exec(name)?.[1] ?? [])
  return numbers
    .map(Number)
    .sort((one, two) => one - two)
    .map((number) => {
      const notes = paragraphs(parts.get(`ppt/notesSlides/notesSlide${number}.xml`) ?? '')
      const text = paragraphs(parts.get(`ppt/slides/slide${number}.xml`) ?? '')
      return `[slide ${number}]\n${text}${notes === '' ? '' : `\n[notes]\n${notes}`}`
    })
    .join('\n\n')
}

function sheets(parts: Parts): string {
  const shared = elements(parts.get('xl/sharedStrings.xml') ?? '', 'si').map(runs)
  const named = (parts.get('xl/workbook.xml') ?? '').matchAll(/<sheet\b[^<>]*?\bname="([^"<>]*)"/g)
  const names = [...named].map(([, name = '']) => decode(name))
  const numbers = [...parts.keys()].flatMap((name) => /sheet(\d+)\.xml$/.exec(name)?.[1] ?? []).map(Number)
  return numbers
    .sort((one, two) => one - two)
    .map((number) => {
      const rows = elements(parts.get(`xl/worksheets/sheet${number}.xml`) ?? '', 'row')
      return `[sheet ${names[number - 1] ?? number}]\n${rows.map((row) => cells(row, shared)).join('\n')}`
    })
    .join('\n\n')
}

/** Values as they are stored: a date is a number of days. Empty cells between others stay empty. */
function cells(row: string, shared: readonly string[]): string {
  const values: string[] = []
  for (const cell of row.split(/<c(?=[\s/>])/).slice(1)) {
    const end = cell.indexOf('>')
    const attributes = cell.slice(0, end)
    const [, letters] = /\br="([A-Z]{1,3})\d/.exec(attributes) ?? []
    const column = letters === undefined ? values.length : parseColumn(letters)
    while (values.length < column) values.push('')
    const [value = ''] = elements(cell.slice(end + 1), 'v')
    const isShared = /\bt="s"/.test(attributes)
    values.push(isShared ? (shared[Number(value)] ?? '') : value === '' ? runs(cell.slice(end + 1)) : decode(value))
  }
  return values.join('\t').trimEnd()
}

/** `A` is 0, `AA` is 26. */
function parseColumn(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** The text of the runs of a cell, without phonetic hints. */
function runs(xml: string): string {
  const [first = '', ...others] = xml.split('<rPh')
  const plain = first + others.map((part) => part.split('</rPh>')[1] ?? '').join('')
  return elements(plain, 't')
    .map(decode)
    .join('')
    .replace(/[\r\n]+/g, ' ')
}

/** What stands in the elements of a name that have no elements of the same name in them. */
function elements(xml: string, name: string): string[] {
  const opening = new RegExp(`<${name}(?=[\\s/>])[^<>]*>`)
  return xml
    .split(`</${name}>`)
    .slice(0, -1)
    .map((part) => part.split(opening).at(-1) ?? '')
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|quot|apos|amp));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
