/** Small documents with a text: PDF after ISO 32000, Office Open XML after ECMA-376, OpenDocument after OASIS ODF 1.3. */
import { strToU8, zipSync } from 'fflate'

/** Pages with one line each. Readers rebuild a table of objects that is left out. */
export function createPdf(pages: readonly string[]): Buffer {
  const kids = pages.map((_, at) => `${10 + at * 2} 0 R`).join(' ')
  const objects = pages.flatMap((text, at) => {
    const content = `BT /F1 18 Tf 20 100 Td (${text.replace(/([()\\])/g, '\\$1')}) Tj ET`
    const page = 10 + at * 2
    return [
      `${page} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 200]/Contents ${page + 1} 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj`,
      `${page + 1} 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj`,
    ]
  })
  const head = [
    '%PDF-1.4',
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    `2 0 obj<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>endobj`,
    '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
  ]
  return Buffer.from([...head, ...objects, 'trailer<</Root 1 0 R>>', ''].join('\n'))
}

/** One page whose text is a form that shows a form ten times, which shows another ten times, and so on: it never ends. */
export function createEndlessPdf(): Buffer {
  const DEPTH = 14
  const stream = (head: string, content: string) =>
    `<<${head}/Length ${content.length}>>stream\n${content}\nendstream endobj`
  const forms = Array.from({ length: DEPTH }, (_, at) => {
    const head = `/Type/XObject/Subtype/Form/BBox[0 0 600 200]/Resources<</Font<</F1 5 0 R>>/XObject<</X ${21 + at} 0 R>>>>`
    return `${20 + at} 0 obj${stream(head, at === DEPTH - 1 ? 'BT /F1 9 Tf (x) Tj ET' : '/X Do '.repeat(10))}`
  })
  return Buffer.from(
    [
      '%PDF-1.4',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
      '2 0 obj<</Type/Pages/Kids[10 0 R]/Count 1>>endobj',
      '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
      '10 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 200]/Contents 11 0 R/Resources<</XObject<</X 20 0 R>>>>>>endobj',
      `11 0 obj${stream('', '/X Do')}`,
      ...forms,
      'trailer<</Root 1 0 R>>',
      '',
    ].join('\n'),
  )
}

/** A zip archive of XML parts. */
export function createOfficeFile(parts: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))))
}

/** Paragraphs, whose text is XML. */
export function createWordFile(paragraphs: readonly string[]): Buffer {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`).join('')
  return createOfficeFile({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`,
  })
}
