import fc from 'fast-check'
import { documentText } from 'svc/sdk/kit/files'
import { describe, expect, test } from 'vitest'
import { createEndlessPdf, createOfficeFile, createPdf, createWordFile } from '../../support/documents.ts'

const signal = new AbortController().signal
const readText = async (bytes: Uint8Array) => (await documentText(bytes, signal))?.text

test('a PDF is read page by page', async () => {
  const found = await documentText(createPdf(['Invoice (4711)', 'Total: 12.50 EUR']), signal)
  expect(found).toEqual({
    kind: 'a PDF document',
    text: '[page 1]\nInvoice (4711)\n\n[page 2]\nTotal: 12.50 EUR',
  })
})

test('a PDF whose pages never end is given up after its time, and meanwhile the program goes on', async () => {
  let ticks = 0
  const ticking = setInterval(() => ticks++, 20)
  const reading = documentText(createEndlessPdf(), signal, { timeoutMs: 2000 })
  await expect(reading).rejects.toThrow('it took longer than 2 s to read')
  clearInterval(ticking)
  expect(ticks).toBeGreaterThan(10)
})

test('a turn that is stopped ends the reading of a PDF at once', async () => {
  const stop = new AbortController()
  const reading = documentText(createEndlessPdf(), stop.signal)
  setTimeout(() => stop.abort(new Error('stopped')), 50)
  await expect(reading).rejects.toThrow('stopped')
})

test('paragraphs, breaks, tabs, tables and entities of a Word document', async () => {
  const row = (...cells: string[]) =>
    `<w:tr>${cells.map((cell) => `<w:tc><w:p><w:r><w:t>${cell}</w:t></w:r></w:p></w:tc>`).join('')}</w:tr>`
  const xml = `<w:document><w:body><w:p><w:r><w:t>A &amp; B &#x263A;</w:t><w:br/><w:t>next</w:t><w:tab/><w:t>x</w:t></w:r></w:p>
    <w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p><w:tbl>${row('1', '2')}${row('3', '4')}</w:tbl></w:body></w:document>`
  expect(await documentText(createOfficeFile({ 'word/document.xml': xml }), signal)).toEqual({
    kind: 'a Word document',
    text: 'A & B ☺\nnext\tx\n\n1\t2\n3\t4',
  })
})

test('sheets of an Excel workbook have their names, shared texts, formulas as values and empty cells', async () => {
  const bytes = createOfficeFile({
    'xl/workbook.xml': '<workbook><sheets><sheet name="Q1 &amp; Q2" sheetId="1"/></sheets></workbook>',
    'xl/sharedStrings.xml':
      '<sst><si><t>Name</t></si><si><r><t>To</t></r><r><t>tal</t></r><rPh><t>no</t></rPh></si></sst>',
    'xl/worksheets/sheet1.xml':
      '<worksheet><cols><col min="1"/></cols><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"/><c r="C1" t="s"><v>1</v></c></row>' +
      '<row r="2"><c r="A2" t="inlineStr"><is><t>x</t></is></c><c r="D2"><f>1+1</f><v>2</v></c></row></sheetData></worksheet>',
  })
  expect(await readText(bytes)).toBe('[sheet Q1 & Q2]\nName\t\tTotal\nx\t\t\t2')
})

test('slides come in their order with their notes, and OpenDocument by paragraphs', async () => {
  const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`
  const deck = createOfficeFile({
    'ppt/slides/slide10.xml': slide('last'),
    'ppt/slides/slide2.xml': slide('first'),
    'ppt/notesSlides/notesSlide2.xml': slide('say this'),
  })
  expect(await readText(deck)).toBe('[slide 2]\nfirst\n[notes]\nsay this\n\n[slide 10]\nlast')
  const odt = createOfficeFile({
    'content.xml': '<office:text><text:h>Title</text:h><text:p>a<text:s/>b</text:p></office:text>',
  })
  expect(await documentText(odt, signal)).toEqual({ kind: 'an OpenDocument file', text: 'Title\na b' })
})

describe('what is no such document', () => {
  test('is left to others: text, pictures, archives without one in them', async () => {
    for (const bytes of [
      Buffer.from('plain'),
      Buffer.from('\x89PNG'),
      createOfficeFile({ 'a.txt': 'x' }),
      Buffer.alloc(0),
    ])
      expect(await documentText(bytes, signal)).toBeUndefined()
  })

  test('or is damaged, is refused with a reason', async () => {
    await expect(documentText(Buffer.from('%PDF-1.4 and nothing more'), signal)).rejects.toThrow(/./)
    await expect(documentText(createWordFile(['x']).subarray(0, 60), signal)).rejects.toThrow(/./)
  })

  test('or is hostile, neither stops the process nor fills its memory', async () => {
    const bomb = createOfficeFile({ 'word/document.xml': ' '.repeat(101 * 2 ** 20) })
    await expect(documentText(bomb, signal)).rejects.toThrow('it unpacks to more than 100 MB')
    const parts = [
      '<w:p',
      '<',
      '<w:delText>',
      '</w:p>   ',
      ' ',
      '<row>',
      '<c r="A1">',
      '&#',
      '<rPh>',
      '<si>',
      '<sheet name="',
    ]
    const began = process.cpuUsage()
    for (const part of parts) {
      const xml = part.repeat(100_000)
      for (const name of ['word/document.xml', 'xl/worksheets/sheet1.xml', 'xl/sharedStrings.xml', 'xl/workbook.xml'])
        await documentText(createOfficeFile({ [name]: xml }), signal)
    }
    expect(process.cpuUsage(began).user / 1e6).toBeLessThan(30)
  })
})

test('any text of paragraphs comes back from a Word document', async () => {
  const line = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .map((text) => text.replace(/[\s\p{Cc}\p{Cs}\uFEFF]/gu, ''))
  const inXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  await fc.assert(
    fc.asyncProperty(fc.array(line.filter(Boolean), { minLength: 1, maxLength: 5 }), async (lines) => {
      expect(await readText(createWordFile(lines.map(inXml)))).toBe(lines.join('\n'))
    }),
    { numRuns: 50 },
  )
})
