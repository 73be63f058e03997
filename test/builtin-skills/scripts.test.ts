/** Each script of a built-in skill is run for real on a small example. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'
import { builtInSkills, skillFile } from './skills.ts'

interface Run {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The interpreter itself: what is found by the name may be a slow script that looks for it. */
const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()

/** Runs scripts of one skill in a folder of their own. */
class Example {
  readonly folder = temporaryFolder()
  readonly #skill: string
  readonly #env: NodeJS.ProcessEnv

  constructor(skill: string, files: Readonly<Record<string, string>> = {}, env: Readonly<Record<string, string>> = {}) {
    this.#skill = skill
    this.#env = { PATH: process.env['PATH'], HOME: this.folder, LANG: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1', ...env }
    writeFiles(this.folder, files)
  }

  /** `run('scripts/a.py', 'x')`; the file is found in the skill. */
  run(script: string, ...args: readonly string[]): Promise<Run> {
    const file = skillFile(this.#skill, script)
    return this.command(file.endsWith('.py') ? python : 'sh', file, ...args)
  }

  async command(program: string, ...args: readonly string[]): Promise<Run> {
    return this.pipe('', program, ...args)
  }

  async pipe(input: string, program: string, ...args: readonly string[]): Promise<Run> {
    const child = spawn(program, args, { cwd: this.folder, env: this.#env })
    const text = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text.out += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (text.err += part))
    child.stdin.on('error', () => {}).end(input)
    const code = await new Promise<number | null>((done, fail) => child.on('close', done).on('error', fail))
    return { code, ...text }
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8')
  }
}

function git(folder: string, ...words: readonly string[]): string {
  const who = ['-c', 'user.name=A Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...who, ...words], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

/** A repository with a commit for each subject. */
function repository(folder: string, ...subjects: readonly string[]): void {
  git(folder, 'init', '--quiet', '--initial-branch=main')
  for (const subject of subjects) git(folder, 'commit', '--quiet', '--allow-empty', `--message=${subject}`)
}

const examples: Readonly<Record<string, () => Promise<void>>> = {
  'git-workflow/scripts/branch-report.sh': async () => {
    const example = new Example('git-workflow')
    repository(example.folder, 'First')
    git(example.folder, 'branch', 'done')
    git(example.folder, 'switch', '--quiet', '--create', 'topic')
    writeFiles(example.folder, { 'a.txt': 'a' })
    git(example.folder, 'add', '.')
    git(example.folder, 'commit', '--quiet', '--message=Topic')
    git(example.folder, 'switch', '--quiet', '--create', 'squashed')
    git(example.folder, 'switch', '--quiet', 'main')
    git(example.folder, 'commit', '--quiet', '--allow-empty', '--message=Between')
    git(example.folder, 'cherry-pick', 'squashed')
    git(example.folder, 'branch', '--delete', '--force', 'topic')
    git(example.folder, 'switch', '--quiet', '--create', 'fresh')
    writeFiles(example.folder, { 'b.txt': 'b' })
    git(example.folder, 'add', '.')
    git(example.folder, 'commit', '--quiet', '--message=Fresh')
    const { code, out } = await example.run('scripts/branch-report.sh')
    expect(code).toBe(0)
    const rows = out
      .split('\n')
      .slice(1)
      .map((line) => line.split(/\s+/))
    expect(
      rows
        .filter(([state]) => state)
        .map(([state, , ahead, name]) => [state, ahead, name])
        .sort(),
    ).toEqual([
      ['applied', '1', 'squashed'],
      ['merged', '0', 'done'],
      ['open', '1', 'fresh'],
    ])
  },
  'commit-message/scripts/check-message.sh': async () => {
    const good = 'Fix crash when the list is empty\n\nThe last entry was taken\nwithout a look at the length.\n'
    const bad = `Fixed a very long subject that goes on and on until there is no space for it left at all.\nno gap\n`
    const example = new Example('commit-message', { good, bad, empty: '# only a comment\n' })
    expect(await example.run('scripts/check-message.sh', 'good')).toEqual({ code: 0, out: 'ok\n', err: '' })
    const { code, out } = await example.run('scripts/check-message.sh', 'bad')
    expect(code).toBe(1)
    expect(out.match(/line 1/g)).toHaveLength(3)
    expect(out).toContain('line 2: leave an empty line')
    expect((await example.run('scripts/check-message.sh', 'empty')).code).toBe(1)
  },
  'code-review/scripts/diff_overview.py': async () => {
    const example = new Example('code-review')
    repository(example.folder, 'First')
    writeFiles(example.folder, {
      'src/a.js': "const api_key = 'abcdefghijkl'\nconsole.log(1)\n",
      'test/a.test.js': "it.skip('works', () => {})\n",
    })
    git(example.folder, 'add', '.')
    const diff = git(example.folder, 'diff', '--cached')
    const { code, out } = await example.pipe(diff, python, skillFile('code-review', 'scripts/diff_overview.py'))
    expect(code).toBe(0)
    expect(out).toContain('+2     -0     src/a.js')
    expect(out).toContain('2 files, 1 of them tests')
    expect(out).toContain('src/a.js:1  possible secret')
    expect(out).toContain('src/a.js:2  debug output')
    expect(out).toContain('test/a.test.js:1  disabled test')
  },
  'debugging/scripts/repeat.sh': async () => {
    const example = new Example('debugging', { flaky: 'echo x >>runs; [ "$(wc -l <runs)" -ne 3 ]\n' })
    const { code, out } = await example.run('scripts/repeat.sh', '5', 'sh', 'flaky')
    expect(code).toBe(1)
    expect(out).toContain('1 of 5 runs failed')
    expect(out).toContain('first failure: run 3, exit code 1')
    expect(await example.run('scripts/repeat.sh', '3', 'true')).toMatchObject({ code: 0, out: '0 of 3 runs failed\n' })
  },
  'release-notes/scripts/changes.sh': async () => {
    const example = new Example('release-notes')
    repository(example.folder, 'Old one')
    git(example.folder, 'tag', '--annotate', '--message=1', 'v1.0.0')
    for (const subject of ['feat: PDF export', 'fix: crash on start', 'feat(api)!: new names', 'Tidy'])
      git(example.folder, 'commit', '--quiet', '--allow-empty', `--message=${subject}`)
    const { code, out } = await example.run('scripts/changes.sh')
    expect(code).toBe(0)
    expect(out.replaceAll(/ {2}[0-9a-f]{7,} {2}/g, '- ')).toBe(
      [
        'Commits in v1.0.0..HEAD',
        '\nbreaking\n- feat(api)!: new names',
        '\nnew\n- feat: PDF export',
        '\nfixed\n- fix: crash on start',
        '\nother\n- Tidy',
        '\n4 commits\n',
      ].join('\n'),
    )
  },
  'shell-scripting/assets/template.sh': async () => {
    const example = new Example('shell-scripting', { "in/a b'.txt": 'a', 'in/c.txt': 'c' })
    expect(await example.run('assets/template.sh', 'in')).toEqual({ code: 0, out: '2 files\n', err: '' })
    const dry = await example.run('assets/template.sh', '-n', 'in')
    expect(dry.err).toContain("would run: cp -- in/a b'.txt")
    mkdirSync(join(example.folder, 'in/.template-lock'))
    expect((await example.run('assets/template.sh', 'in')).err).toContain('another run is under way')
    expect((await example.run('assets/template.sh')).code).toBe(2)
  },
  'regular-expressions/scripts/try_regex.py': async () => {
    const example = new Example('regular-expressions', {
      yes: '2026-03-01\n1999-12-31\n',
      no: '2026-3-1\nx2026-03-01\n',
      slow: `${'a'.repeat(40)}!\n`,
    })
    const pattern = '(?P<year>[0-9]{4})-[0-9]{2}-[0-9]{2}'
    const good = await example.run('scripts/try_regex.py', pattern, '--yes', 'yes', '--no', 'no', '--groups')
    expect(good.code).toBe(0)
    expect(good.out).toContain("1999-12-31: {'year': '1999'}")
    expect(good.out).toContain('4 of 4 examples are right')
    expect((await example.run('scripts/try_regex.py', '[0-9-]+', '--no', 'no')).out).toContain('matches, but must not')
    const slow = await example.run('scripts/try_regex.py', '(a+)+', '--no', 'slow', '--seconds', '0.5')
    expect(slow).toMatchObject({ code: 1 })
    expect(slow.out).toContain('too slow')
  },
  'csv-sqlite/scripts/profile_csv.py': async () => {
    const example = new Example('csv-sqlite', { 'a.csv': 'id;name;paid\n1;ann;2.50\n2;bob;\n2;bob;\n3;cy\n' })
    const { code, out } = await example.run('scripts/profile_csv.py', 'a.csv')
    expect(code).toBe(0)
    expect(out).toContain("4 rows, 3 columns, delimiter ';', 1 repeated rows")
    expect(out).toContain('1 rows have another number of cells, first at line 5')
    expect(out).toContain('paid: number 1\n  empty 2')
  },
  'csv-sqlite/scripts/load_csv.py': async () => {
    const example = new Example('csv-sqlite', {
      'sales.csv': 'Zip,Amount,Count\n01234,2.5,1\n99999,,2\n',
      'bad.csv': 'a,b\n1\n',
    })
    const { code, out } = await example.run('scripts/load_csv.py', 'sales.csv', 's.db')
    expect({ code, out }).toEqual({ code: 0, out: '2 rows in table sales: zip TEXT, amount REAL, count INTEGER\n' })
    expect((await example.run('scripts/load_csv.py', 'sales.csv', 's.db')).err).toContain('--replace')
    expect((await example.run('scripts/load_csv.py', 'sales.csv', 's.db', '--replace')).code).toBe(0)
    expect((await example.run('scripts/load_csv.py', 'bad.csv', 's.db')).out).toContain('nothing was loaded')
  },
  'csv-sqlite/scripts/query.py': async () => {
    const example = new Example('csv-sqlite', { 'a.csv': 'kind,n\nx,1\nx,2\ny,5\n' })
    await example.run('scripts/load_csv.py', 'a.csv', 'a.db')
    const sql = 'SELECT kind, sum(n) AS total FROM a GROUP BY kind ORDER BY total DESC'
    expect((await example.run('scripts/query.py', 'a.db', sql)).out).toBe('kind  total\ny     5\nx     3\n')
    expect((await example.run('scripts/query.py', 'a.db', sql, '--csv')).out).toBe('kind,total\ny,5\nx,3\n')
    expect((await example.run('scripts/query.py', 'a.db', '--tables')).out).toContain('CREATE TABLE "a"')
    const write = await example.run('scripts/query.py', 'a.db', 'DELETE FROM a')
    expect(write).toMatchObject({ code: 1 })
    expect(write.err).toContain('readonly')
  },
  'spreadsheets/scripts/xlsx.py': async () => {
    const example = new Example('spreadsheets', {
      'totals.csv': 'Name,Zip,Sum\nÄnn & <co>,01234,12.5\n"two\nlines",,-3\n',
      'more.csv': 'a\n1\n',
    })
    const made = await example.run('scripts/xlsx.py', 'write', 'book.xlsx', 'totals.csv', 'more.csv')
    expect(made).toMatchObject({ code: 0, out: 'book.xlsx: totals, more\n' })
    expect((await example.run('scripts/xlsx.py', 'sheets', 'book.xlsx')).out).toBe('totals: 3 rows\nmore: 2 rows\n')
    expect((await example.run('scripts/xlsx.py', 'read', 'book.xlsx')).out).toBe(example.read('totals.csv'))
    expect((await example.run('scripts/xlsx.py', 'write', 'book.xlsx', 'more.csv')).code).toBe(1)
    expect((await example.run('scripts/xlsx.py', 'read', 'totals.csv')).err).toContain('no workbook')
    // As an office program writes it: shared texts, a date format, a formula with its value, a hidden sheet.
    const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    const link = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    writeFiles(example.folder, {
      'book/xl/workbook.xml': `<workbook ${main} xmlns:r="${link}"><sheets><sheet name="S" sheetId="1" state="hidden" r:id="rId1"/></sheets></workbook>`,
      'book/xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Target="worksheets/s.xml"/></Relationships>`,
      'book/xl/sharedStrings.xml': `<sst ${main}><si><r><t>Da</t></r><r><t>y</t></r></si></sst>`,
      'book/xl/styles.xml': `<styleSheet ${main}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
      'book/xl/worksheets/s.xml': `<worksheet ${main}><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><f>1+1</f><v>2</v></c></row><row r="2"><c r="A2" s="1"><v>46082</v></c></row></sheetData></worksheet>`,
    })
    const pack = 'import shutil; shutil.make_archive("real", "zip", "book")'
    await example.command(python, '-c', pack)
    expect((await example.run('scripts/xlsx.py', 'read', 'real.zip')).out).toBe('Day,,2\n2026-03-01,,\n')
    expect((await example.run('scripts/xlsx.py', 'sheets', 'real.zip')).out).toBe('S: 2 rows (hidden)\n')
    expect((await example.run('scripts/xlsx.py', 'formulas', 'real.zip')).out).toBe('S!C1: =1+1  ->  2\n')
  },
  'pdf/scripts/make_pdf.py': async () => {
    const example = new Example('pdf', {
      'a.txt': `# Title (x)\n\n${'A line of text. '.repeat(600)}\n`,
      'b.txt': '漢字\n',
    })
    expect(await example.run('scripts/make_pdf.py', 'a.txt', 'a.pdf')).toMatchObject({
      code: 0,
      out: 'a.pdf: 3 pages\n',
    })
    expect((await example.run('scripts/make_pdf.py', 'a.txt', 'a.pdf')).code).toBe(1)
    expect((await example.run('scripts/make_pdf.py', 'b.txt', 'b.pdf')).code).toBe(3)
  },
  'pdf/scripts/pdf_info.py': async () => {
    const example = new Example('pdf', { 'a.txt': 'Some text\n', 'no.pdf': 'plain\n' })
    await example.run('scripts/make_pdf.py', 'a.txt', 'a.pdf', '--title', 'Minutes')
    const { code, out } = await example.run('scripts/pdf_info.py', 'a.pdf')
    expect(code).toBe(0)
    expect(out).toMatch(/^a\.pdf: PDF 1\.4, 1 pages, \d+ bytes, has text\n {2}Title: Minutes\n/)
    const packed = deflateSync(
      Buffer.from('1 0 <</Type /Catalog /AcroForm 9 0 R /Pages 2 0 R>> <</Type /Pages /Count 7>>'),
    )
    const head = `%PDF-1.7\n5 0 obj\n<< /Type /ObjStm /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`
    writeFileSync(
      join(example.folder, 'b.pdf'),
      Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream\n')]),
    )
    expect((await example.run('scripts/pdf_info.py', 'b.pdf')).out).toMatch(/7 pages, .*form, the end is missing/)
    expect((await example.run('scripts/pdf_info.py', 'no.pdf')).code).toBe(1)
  },
  'image-conversion/scripts/image_info.py': async () => {
    const example = new Example('image-conversion', { 'x.png': 'no picture' })
    const png = `89504e470d0a1a0a0000000d49484452${'00000003'}${'00000002'}0806000000${'00000000'}`
    // A photo: EXIF with orientation 6 and a place, then a frame of 640 x 480.
    const place = ['0002', '0002000500000003000000ff', '0004000500000003000000ff', '00000000'].join('')
    const tiff = `4d4d002a00000008${'0002'}${'011200030000000100060000'}${'88250004000000010000002600000000'}${place}`
    const body = `457869660000${tiff}`
    const app = `ffe1${(body.length / 2 + 2).toString(16).padStart(4, '0')}${body}`
    writeFileSync(join(example.folder, 'a.png'), Buffer.from(png, 'hex'))
    writeFileSync(
      join(example.folder, 'a.jpg'),
      Buffer.from(`ffd8${app}ffc0001108${'01e00280'}03${'00'.repeat(9)}ffd9`, 'hex'),
    )
    writeFileSync(join(example.folder, 'a.gif'), Buffer.from('474946383961050006000000', 'hex'))
    const { code, out } = await example.run('scripts/image_info.py', 'a.png', 'a.jpg', 'a.gif')
    expect(out.split('\n')).toEqual([
      'a.png: PNG, 3 x 2, 33 bytes, colour with transparency, 8 bit',
      expect.stringMatching(/^a\.jpg: JPEG, 640 x 480, \d+ bytes, has EXIF, orientation: turn right, SAYS WHERE/),
      'a.gif: GIF, 5 x 6, 12 bytes',
      '',
    ])
    expect(code).toBe(0)
    expect((await example.run('scripts/image_info.py', 'x.png')).code).toBe(1)
  },
  'translation/scripts/check_translation.py': async () => {
    const example = new Example('translation', {
      'en.json': JSON.stringify({ a: 'Hello {name}', b: { c: 'Two big dogs' }, d: '<b>%d</b> files' }),
      'de.json': JSON.stringify({ a: 'Hallo {nam}', b: { c: 'Two big dogs' }, e: 'x' }),
      'ok.json': JSON.stringify({ a: 'Hallo {name}', b: { c: 'Zwei Hunde' }, d: '<b>%d</b> Dateien' }),
      'en.properties': 'a=Save\nb=Open {0}\n',
      'de.properties': 'a=Sichern\nb=Offnen {0}\n',
    })
    const { code, out } = await example.run('scripts/check_translation.py', 'en.json', 'de.json')
    expect(code).toBe(1)
    expect(out).toContain("placeholders of a: ['{name}'] became ['{nam}']")
    expect(out).toContain('missing: d\nsurplus: e')
    expect(out).toContain('not translated? b.c')
    expect((await example.run('scripts/check_translation.py', 'en.json', 'ok.json')).out).toBe(
      '3 texts, 0 faults, 0 doubts\n',
    )
    expect((await example.run('scripts/check_translation.py', 'en.properties', 'de.properties')).code).toBe(0)
  },
  'meeting-notes/scripts/transcript.py': async () => {
    const vtt = [
      'WEBVTT',
      '1\n00:00:01.000 --> 00:00:03.000\n<v Ann>Hello &amp; welcome.</v>',
      '2\n00:00:03.000 --> 00:00:05.000\n<v Ann>We begin.</v>',
      '3\n00:00:06.000 --> 00:00:10.000\n<v Bob>Fine.</v>',
    ].join('\n\n')
    const example = new Example('meeting-notes', { 'a.vtt': vtt, 'b.srt': '1\n00:01:00,500 --> 00:01:02,000\nHi.\n' })
    const { code, out, err } = await example.run('scripts/transcript.py', 'a.vtt')
    expect(code).toBe(0)
    expect(out).toBe('[00:00:01] Ann: Hello & welcome. We begin.\n\n[00:00:06] Bob: Fine.\n\n')
    expect(err).toContain('Bob: 00:00:04 (50 %)')
    expect((await example.run('scripts/transcript.py', 'b.srt')).out).toBe('[00:01:00] Hi.\n\n')
  },
  'email-drafting/scripts/make_eml.py': async () => {
    const example = new Example('email-drafting', {
      'text.txt': 'See the attached offer. Grüße\n',
      'offer.pdf': '%PDF-',
    })
    const args = ['--to', 'Ann Meyer <ann@example.org>', '--subject', 'Offer für März', '--body', 'text.txt']
    const { code } = await example.run('scripts/make_eml.py', ...args, '--attach', 'offer.pdf', 'draft.eml')
    expect(code).toBe(0)
    const draft = example.read('draft.eml')
    expect(draft).toContain('X-Unsent: 1\r\n')
    expect(draft).toContain('filename="offer.pdf"')
    expect(draft).toMatch(/^Subject: Offer =\?utf-8\?/m)
    expect((await example.run('scripts/make_eml.py', ...args, 'other.eml')).err).toContain('speaks of an attachment')
    expect((await example.run('scripts/make_eml.py', ...args, 'draft.eml')).err).toContain('exists')
    const injected = ['--to', 'a@example.org', '--subject', 'x\nBcc: c@example.org', '--body', 'text.txt', 'c.eml']
    expect((await example.run('scripts/make_eml.py', ...injected)).code).toBe(1)
  },
  'web-research/scripts/check_sources.py': async () => {
    const good = 'The limit is 25 kg since 2025 [1].\n\n[1] Rules, 2026-01-12. https://example.org/a\n'
    const bad = 'It is 25 kg. See [2, 3].\n\n[1] Rules. https://example.org/a\n[2] Same, 2026. https://example.org/a\n'
    const example = new Example('web-research', { 'good.md': good, 'bad.md': bad })
    expect(await example.run('scripts/check_sources.py', 'good.md')).toMatchObject({
      code: 0,
      out: '1 sources, 1 used, 0 faults, 0 doubts\n',
    })
    const { code, out } = await example.run('scripts/check_sources.py', 'bad.md')
    expect(code).toBe(1)
    for (const part of ['[3] has no source', '[1] is used nowhere', 'the same page', 'a figure without a source'])
      expect(out).toContain(part)
  },
  'calendar-files/scripts/ics.py': async () => {
    const example = new Example('calendar-files')
    const weekly = ['--minutes', '30', '--zone', 'Europe/Zurich', '--repeat', 'FREQ=WEEKLY;BYDAY=MO;COUNT=5']
    const made = await example.run(
      'scripts/ics.py',
      'make',
      'a.ics',
      '--title',
      'Team; all, "x"',
      '--start',
      '2026-03-16 09:00',
      ...weekly,
    )
    expect(made).toMatchObject({ code: 0, err: '' })
    const single = ['--start', '2026-03-09 14:30', '--zone', 'Europe/Zurich', '--place', `Ä${'ö'.repeat(60)}`]
    await example.run('scripts/ics.py', 'make', 'a.ics', '--append', '--title', 'Dentist', ...single, '--remind', '60')
    await example.run(
      'scripts/ics.py',
      'make',
      'a.ics',
      '--append',
      '--title',
      'Holiday',
      '--day',
      '2026-07-20',
      '--days',
      '5',
    )
    expect(await example.run('scripts/ics.py', 'check', 'a.ics')).toMatchObject({ code: 0, out: 'ok\n' })
    expect(example.read('a.ics')).toContain('DTSTART:20260309T133000Z\r\nDTEND:20260309T143000Z')
    expect(example.read('a.ics')).toContain('DTEND;VALUE=DATE:20260725')
    const shown = await example.run('scripts/ics.py', 'show', 'a.ics', '--from', '2026-03-01', '--to', '2026-04-01')
    expect(shown.out.split('\n')).toEqual([
      'Mon 2026-03-09  13:30 UTC  Dentist',
      'Mon 2026-03-16  09:00 Europe/Zurich  Team; all, "x"',
      'Mon 2026-03-23  09:00 Europe/Zurich  Team; all, "x"',
      'Mon 2026-03-30  09:00 Europe/Zurich  Team; all, "x"',
      '4 events',
      '',
    ])
    const gap = await example.run(
      'scripts/ics.py',
      'make',
      'b.ics',
      '--title',
      'x',
      '--start',
      '2026-03-29 02:30',
      '--zone',
      'Europe/Zurich',
    )
    expect(gap.err).toContain('does not exist')
    writeFiles(example.folder, { 'bad.ics': 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101T100000\nEND:VEVENT\n' })
    expect((await example.run('scripts/ics.py', 'check', 'bad.ics')).code).toBe(1)
  },
  'home-inventory/scripts/inventory.py': async () => {
    const example = new Example('home-inventory')
    const run = (...args: readonly string[]) => example.run('scripts/inventory.py', 'i.csv', ...args)
    const bike = ['--name', 'Bicycle', '--place', 'cellar', '--bought', '2025-08-31', '--price', '1290.50']
    expect((await run('add', ...bike, '--warranty-months', '6', '--receipt', 'r/b.pdf')).out).toBe(
      '1. Bicycle, cellar, 1290.50, warranty until 2026-02-28\n',
    )
    await run('add', '--name', 'Lamp', '--place', 'hall', '--price', '40')
    expect((await run('warranties', '--today', '2026-02-01')).out).toContain('1 warranties end within 60 days')
    await run('move', '2', 'cellar')
    expect((await run('total')).out).toBe('cellar: 2 things, 1330.50\nall: 2 things, 1330.50\n')
    await run('remove', '2')
    expect((await run('total')).out).toContain('all: 1 things, 1290.50')
    expect((await run('find', 'lamp')).out).toContain('gone since')
    expect(await run('check')).toMatchObject({ code: 1, out: '1. Bicycle: the receipt r/b.pdf is missing\n' })
  },
  'travel-planning/scripts/legs.py': async () => {
    const trip = [
      '# to the coast',
      '2026-05-03 10:05 Europe/Zurich -> 2026-05-03 13:20 America/New_York | flight',
      '2026-05-03 13:50 America/New_York -> 2026-05-03 17:00 America/New_York | train',
    ].join('\n')
    const example = new Example('travel-planning', { 'trip.txt': trip })
    const { code, out } = await example.run('scripts/legs.py', 'trip.txt')
    expect(code).toBe(1)
    expect(out).toContain('flight: 2026-05-03 10:05 to 2026-05-03 13:20 local, 9 h 15 min')
    expect(out).toContain('change: 0 h 30 min  <- SHORT')
    expect((await example.run('scripts/legs.py', 'trip.txt', '--change', '20')).code).toBe(0)
  },
  'budget-ledger/scripts/money.py': async () => {
    const journal = [
      '2026-03-01 * Salary\n    Assets:Bank  2,000.00 EUR\n    Income:Work\n',
      '2026-03-02 Grocer ; weekly\n    Expenses:Food  54.20 EUR\n    Assets:Bank  -54.20 EUR = 1945.80 EUR\n',
    ].join('\n')
    const example = new Example('budget-ledger', {
      'm.journal': journal,
      'bad.journal': '2026-03-02 x\n    Expenses:Food  5 EUR\n    Assets:Bank  -4 EUR\n',
      'budget.csv': 'account,amount\nExpenses:Food,50\nExpenses:Rent,900\n',
      'bank.csv': 'Date;Amount;Text\n03.03.2026;-1.234,50;RENT 3\n04.03.2026;-7,00;kiosk\n',
      'rules.csv': 'rent,Expenses:Rent\n',
    })
    const run = (...args: readonly string[]) => example.run('scripts/money.py', ...args)
    expect(await run('check', 'm.journal')).toMatchObject({ code: 0, out: '2 bookings, 3 accounts, 0 faults\n' })
    expect((await run('check', 'bad.journal')).err).toContain('does not add up, 1 EUR is left')
    expect((await run('balance', 'm.journal')).out).toContain('      1,945.80 EUR  Assets:Bank')
    const spending = await run('spending', 'm.journal', '--month', '2026-03', '--budget', 'budget.csv')
    expect(spending.out).toContain('Expenses:Food  of 50, OVER by 4.20')
    const columns = ['--account', 'Assets:Bank', '--date', 'Date', '--amount', 'Amount', '--text', 'Text']
    const brought = await run('import', 'bank.csv', 'rules.csv', ...columns)
    expect(brought.err).toContain('2 bookings, 1 without a rule')
    writeFiles(example.folder, { 'new.journal': brought.out })
    expect((await run('balance', 'new.journal')).out).toContain('      1,234.50 EUR  Expenses:Rent')
  },
  'log-analysis/scripts/summarize_log.py': async () => {
    const lines = Array.from({ length: 20 }, (_, n) => `2026-03-02T14:${10 + n}:00Z INFO request ${n} took ${n * 3} ms`)
    lines.push('2026-03-02T15:00:00Z ERROR cannot reach 10.0.0.7:5432', '  at connect (db.js:1)')
    const example = new Example('log-analysis', { 'old.log': lines.slice(0, 20).join('\n'), 'a.log': lines.join('\n') })
    writeFileSync(join(example.folder, 'a.log.gz'), gzipSync(`${lines.join('\n')}\n`))
    const { code, out } = await example.run('scripts/summarize_log.py', 'a.log.gz')
    expect(code).toBe(0)
    expect(out).toContain('21 entries, 2 kinds; levels: INFO 20, ERROR 1')
    expect(out).toContain('     20  <time> INFO request <n> took <n> ms')
    const compared = await example.run('scripts/summarize_log.py', 'a.log', '--compare', 'old.log')
    expect(compared.out).toContain('1 (before 0)  line 21: 2026-03-02T15:00:00Z ERROR cannot reach')
    const late = await example.run(
      'scripts/summarize_log.py',
      'a.log',
      '--from',
      '2026-03-02T15:00',
      '--level',
      'error',
    )
    expect(late.out).toContain('1 entries')
  },
  'incident-report/scripts/timeline.py': async () => {
    const example = new Example('incident-report', {
      notes: '2026-03-02 15:03 +01:00 restarted the service\nnot an event\n',
      alerts: '[2026-03-02T13:30:00Z] alarm | disk\n[2026-03-02T13:30:00Z] alarm | disk\n',
      local: '2026-03-02 14:45 called\n',
    })
    const files = ['notes', 'alerts', 'local']
    const { code, out, err } = await example.run('scripts/timeline.py', '--zone', 'Europe/Zurich', ...files)
    expect(code).toBe(0)
    expect(out.split('\n').slice(2, -1)).toEqual([
      '| 2026-03-02 13:30:00 | alarm \\| disk | alerts |',
      '| 13:45:00 | called | local |',
      '| 14:03:00 | restarted the service | notes |',
    ])
    expect(err).toContain('1 times without a zone were taken as Europe/Zurich\nno time: notes:2: not an event')
  },
  'backup-check/scripts/check_backups.py': async () => {
    const example = new Example('backup-check')
    const content = gzipSync(Buffer.from(Array.from({ length: 4000 }, (_, n) => String(n * 7919)).join(' ')))
    const put = (name: string, data: Uint8Array, hours: number) => {
      writeFileSync(join(example.folder, name), data)
      const at = statSync(example.folder).mtimeMs / 1000 - hours * 3600
      utimesSync(join(example.folder, name), at, at)
    }
    put('db-1.gz', content, 48)
    put('db-2.gz', content, 24)
    put('db-3.gz', content, 1)
    const run = () => example.run('scripts/check_backups.py', '.', '--pattern', 'db-*.gz')
    expect(await run()).toMatchObject({ code: 0 })
    put('db-4.gz', content.subarray(0, 900), 0.5)
    const cut = await run()
    expect(cut.code).toBe(1)
    expect(cut.out).toMatch(/WRONG: db-4\.gz has 900 bytes; the ones before had \d+/)
    expect(cut.out).toContain('WRONG: db-4.gz cannot be read to the end')
    expect((await example.run('scripts/check_backups.py', '.', '--pattern', '*.sql')).code).toBe(1)
    await example.command('tar', 'czf', 'tree.tgz', 'db-1.gz')
    const archive = await example.run('scripts/check_backups.py', '.', '--pattern', 'tree.tgz')
    expect(archive).toMatchObject({ code: 0 })
    expect(archive.out).toContain('1 entries')
  },
  'disk-cleanup/scripts/disk-report.sh': async () => {
    const example = new Example('disk-cleanup', { 'small.txt': 'x', 'large file.bin': 'x'.repeat(3 * 1024 * 1024) })
    const { code, out, err } = await example.run('scripts/disk-report.sh', example.folder, '3')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/Largest files:\n +3\.0M {2}\S+\/large file\.bin\nDeleted/)
    expect((await example.run('scripts/disk-report.sh', 'missing')).code).toBe(2)
  },
  'server-health/scripts/health.sh': async () => {
    const { code, out, err } = await new Example('server-health').run('scripts/health.sh')
    // How this machine is does not matter here.
    expect(code).toBe(/^bad/m.test(out) ? 1 : 0)
    expect(err).toBe('')
    expect(out.split('\n').filter((line) => line && !/^(?:ok|warn|bad) +[a-z]+ +\S/.test(line))).toEqual([])
    expect(out).toMatch(/^\w+ +load +[\d.]+ over 5 minutes on \d+ cores$/m)
  },
  'scheduled-jobs/scripts/next_runs.py': async () => {
    const example = new Example('scheduled-jobs')
    const run = (expression: string, ...args: readonly string[]) =>
      example.run('scripts/next_runs.py', expression, '--from', '2026-03-27T12:00', ...args)
    const night = await run('30 2 * * *', '--zone', 'Europe/Zurich', '--count', '2')
    expect(night.out).toBe(
      [
        'Sat 2026-03-28 02:30 Europe/Zurich',
        'Sun 2026-03-29 02:30 Europe/Zurich  <- this time does not exist: clocks go forward',
        '',
      ].join('\n'),
    )
    expect((await run('0 0 13 * fri', '--count', '2')).out).toContain('when EITHER fits')
    expect((await run('*/25 * * * *', '--count', '3')).out).toMatch(/12:25 UTC\n.*12:50 UTC\n.*13:00 UTC\nnote: /)
    expect((await run('0 0 30 2 *')).code).toBe(1)
    expect((await run('61 * * * *')).err).toContain('not within 0 to 59')
  },
  'postgresql/scripts/overview.sql': async () => {
    const text = readFileSync(skillFile('postgresql', 'scripts/overview.sql'), 'utf8')
    const statements = text.split(';\n').map((part) => part.replaceAll(/^(?:--|\\).*$/gm, '').trim())
    expect(statements.filter((part) => part && !part.startsWith('SELECT '))).toEqual([])
  },
  'tls-certificates/scripts/check_tls.py': async () => {
    const example = new Example('tls-certificates')
    const subject = ['-subj', '/CN=test', '-addext', 'subjectAltName=DNS:test.example,IP:127.0.0.1']
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '10']
    execFileSync('openssl', [...made, ...subject, '-keyout', 'k.pem', '-out', 'c.pem'], {
      cwd: example.folder,
      stdio: 'pipe',
    })
    const server = createTlsServer({ key: example.read('k.pem'), cert: example.read('c.pem') })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const target = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const known = await example.run('scripts/check_tls.py', target, '--ca', 'c.pem', '--warn-days', '5')
    expect(known).toMatchObject({ code: 0, err: '' })
    expect(known.out).toMatch(
      /^ok {4}127\.0\.0\.1:\d+: 9 days left, TLSv1\.\d, by test, for test\.example, 127\.0\.0\.1\n$/,
    )
    expect((await example.run('scripts/check_tls.py', target, '--ca', 'c.pem')).out).toMatch(/^SOON/)
    expect((await example.run('scripts/check_tls.py', target)).out).toMatch(/^BAD .*self.signed/)
    const other = await example.run('scripts/check_tls.py', target, '--ca', 'c.pem', '--name', 'other.example')
    expect(other.out).toMatch(/^BAD .*[Hh]ostname mismatch/)
  },
  'telephony/scripts/phone.py': async () => {
    const asked: { method: string; url: string; auth: string; body: string }[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (part) => (body += part))
      request.on('end', () => {
        const { method = '', url = '', headers } = request
        asked.push({ method, url, auth: String(headers.authorization), body })
        const refused = body.includes('99')
        response.writeHead(refused ? 400 : 201, { 'content-type': 'application/json' })
        const sid = url.includes('Calls') ? `CA${'1'.repeat(32)}` : `SM${'1'.repeat(32)}`
        response.end(
          JSON.stringify(
            refused ? { code: 21211, message: 'not a number' } : { sid, status: 'queued', to: '+41790000000' },
          ),
        )
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const variables = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'secret', TWILIO_PHONE_NUMBER: '+15550100000' }
    const example = new Example('telephony', {}, variables)
    const service = ['--service', `http://127.0.0.1:${(server.address() as AddressInfo).port}`]
    const run = (...args: readonly string[]) => example.run('scripts/phone.py', ...service, ...args)
    const dry = await run('text', '--to', '+41 79 000 00 00', '--message', 'Hi', '--dry-run')
    expect(dry.out).toBe('text from +15550100000 to +41790000000, 1 part(s): Hi\nnothing was sent\n')
    expect(asked).toEqual([])
    expect((await run('text', '--to', '+41790000000', '--message', 'Backup & more')).out).toContain(': queued')
    expect((await run('call', '--to', '+41790000000', '--message', 'a < b', '--language', 'en-GB')).code).toBe(0)
    expect((await run('status', `SM${'1'.repeat(32)}`)).out).toContain('queued, to +41790000000')
    const auth = `Basic ${Buffer.from('AC1:secret').toString('base64')}`
    const [text, call, status] = asked
    expect(text).toEqual({
      ...{ method: 'POST', url: '/2010-04-01/Accounts/AC1/Messages.json', auth },
      body: 'From=%2B15550100000&To=%2B41790000000&Body=Backup+%26+more',
    })
    expect(new URLSearchParams(call?.body).get('Twiml')).toContain('<Say language="en-GB">a &lt; b</Say>')
    expect(status?.method).toBe('GET')
    for (const [to, problem] of [
      ['112', 'emergency'],
      ['+1911', 'emergency'],
      ['079 000 00 00', 'not an international number'],
      ['+15550199999', '(400): not a number [21211]'],
    ] as const)
      expect((await run('text', '--to', to, '--message', 'x')).err).toContain(problem)
    expect((await run('text', '--to', '+41790000000', '--message', 'é'.repeat(160), '--dry-run')).out).toContain(
      ' 1 part',
    )
    expect((await run('text', '--to', '+41790000000', '--message', '漢'.repeat(71), '--dry-run')).out).toContain(
      ' 2 part',
    )
    const unset = new Example('telephony')
    expect((await unset.run('scripts/phone.py', 'account')).err).toContain('TWILIO_ACCOUNT_SID is not set')
  },
  'skill-writing/scripts/check_skill.py': async () => {
    const good = '---\nname: water\ndescription: Say which plants need water. Use it in the morning.\n---\n\n# Water\n'
    const example = new Example('skill-writing', {
      'water/SKILL.md': good,
      'other/SKILL.md': good.replace('# Water', 'See references/no.md'),
      'other/left.txt': 'x',
      'empty/x': '',
    })
    expect((await example.run('scripts/check_skill.py', 'water')).code).toBe(0)
    const { code, out } = await example.run('scripts/check_skill.py', 'other', 'empty')
    expect(code).toBe(1)
    for (const part of [
      'differs from the folder',
      'references/no.md is named and missing',
      'left.txt is named nowhere',
    ])
      expect(out).toContain(part)
    expect(out).toContain('there is no SKILL.md')
    const ours = builtInSkills().map(({ name }) => skillFile(name, '.'))
    expect((await example.run('scripts/check_skill.py', ...ours)).code).toBe(0)
  },
}

test.for(Object.entries(examples))('%s does on an example what its skill says', ([, run]) => run())

test('no script of a built-in skill is without an example', () => {
  const scripts = builtInSkills().flatMap(({ name, files }) =>
    files.filter((file) => /^scripts\/|\.(?:py|sh|js)$/.test(file)).map((file) => `${name}/${file}`),
  )
  expect(Object.keys(examples).sort()).toEqual(scripts.sort())
})
