/** Skills that are written to a folder and scanned. None of it is ever run; all hosts are reserved names. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A text, bytes, or a link to somewhere. */
export type SampleFile = string | Uint8Array | { readonly link: string }

export interface Sample {
  readonly name: string
  readonly files: Readonly<Record<string, SampleFile>>
}

/** A skill with a SKILL.md of this description and body, and other files. */
export function sample(name: string, description: string, body: string, files: Sample['files'] = {}): Sample {
  const text = `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\n${body.trim()}\n`
  return { name, files: { 'SKILL.md': text, ...files } }
}

export function writeSample(root: string, { name, files }: Sample): string {
  const dir = join(root, name)
  for (const [path, content] of Object.entries(files)) {
    const file = join(dir, path)
    mkdirSync(dirname(file), { recursive: true })
    if (typeof content === 'object' && 'link' in content) symlinkSync(content.link, file)
    else writeFileSync(file, content)
    if (/\.sh$/.test(path)) chmodSync(file, 0o755)
  }
  return dir
}

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

/** Letters of the block of tags, which no font shows. */
export function toTags(text: string): string {
  return [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
}
