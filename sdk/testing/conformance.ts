/** Examines a plugin as users run it: a real home, real discovery, a real kernel that follows timers and sockets. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginInfo } from '../plugins.ts'
import { formatIssuePath } from '../schema.ts'
import { soon } from './contracts/contract.ts'
import { contributionCases, type ToolSamples } from './contributions.ts'
import { type ConformanceCase, type ConformanceWatch, Examination } from './examination.ts'
import type { TestKernel } from './kernel.ts'
import { startedBy } from './started.ts'
import { type ConformanceSettings, type ConformanceSubject, Subject } from './subject.ts'

/** Which plugin to examine, its settings, calls to try, and a listener for progress. @since 0.1 */
export type ConformanceOptions = ConformanceSubject &
  ConformanceSettings &
  ConformanceWatch & { readonly samples?: ToolSamples }

/** Plain data; `ok` when no case failed. @since 0.1 */
export interface ConformanceReport {
  readonly plugin: string
  readonly ok: boolean
  readonly cases: readonly ConformanceCase[]
}

/** One step needs all before it; those after a failure are skipped. */
const steps = {
  manifest: 'plugin.json is valid and fits this SDK',
  code: 'its code can be imported, and starts nothing by itself',
  block: 'its config has defaults, or says what is missing',
  load: 'it is set up and starts within the time limits',
  truth: 'it registers exactly what plugin.json says',
  reload: 'a reload replaces it while it runs',
  unload: 'nothing is left when it is unloaded',
  again: 'it can be loaded a second time',
} as const

const IMPORT_MS = 10_000
const BUNDLE_MS = 30_000
const IMPORTING = 'importing it, with what it awaits at the top level (to connect or wait, use onStart),'

/**
 * Runs every case that can be run without accounts: offline, and in the environment that is given. A plugin that
 * blocks the process blocks this function too: for untrusted code use `conformanceInChild`.
 * @since 0.1
 */
export async function conformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const home = mkdtempSync(join(tmpdir(), 'svc-conformance-'))
  try {
    const subject = new Subject(options, home)
    const examination = new Examination(options, (text) => subject.withOwnPaths(text))
    await examine(examination, subject, options)
    examination.skip(Object.values(steps), 'an earlier step has to be mended first')
    const { cases } = examination
    return { plugin: subject.name, ok: cases.every(({ result }) => result !== 'failed'), cases: [...cases] }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function examine(examination: Examination, subject: Subject, options: ConformanceOptions): Promise<void> {
  if ('plugin' in options)
    examination.skip([steps.manifest, steps.code, steps.block, steps.truth], 'a program brings it')
  else if (!(await survey(examination, subject)) || !(await prepare(examination, subject, options))) return
  const kernel = await load(examination, subject)
  if (!kernel) return
  await using open = kernel
  for (const { name, run } of contributionCases(open, subject.name, options.samples ?? {}))
    await examination.examine(name, run)
  await change(examination, open, subject.name)
}

/** What can be known without running any code of the plugin. */
async function survey(examination: Examination, subject: Subject): Promise<boolean> {
  return examination.examine(steps.manifest, async () => {
    const info = await subject.survey()
    assert.ok(info, `${subject.name} has no plugin.json, or there is no such plugin`)
    assert.ok(info.reason === undefined, info.reason)
    const unloaded = await subject.neverLoaded(info)
    assert.ok(unloaded === undefined, unloaded)
  })
}

/** Whether it makes sense to load it. */
async function prepare(
  examination: Examination,
  subject: Subject,
  { config, limits }: ConformanceOptions,
): Promise<boolean> {
  let missing = ''
  await using kernel = await subject.idle()
  const module = () => kernel.plugins.module(subject.name)
  const imported = await examination.examine(steps.code, async () => {
    const lacking = await soon(BUNDLE_MS, 'finding the packages that it imports', subject.incomplete())
    assert.ok(lacking === undefined, lacking)
    const started = await startedBy(() => soon(limits?.import ?? IMPORT_MS, IMPORTING, module()))
    assert.ok((await module())?.setup, 'its index has no definePlugin({ setup }) as default export')
    assert.ok(!started.length, `its import starts: ${started.join(', ')}`)
  })
  if (!imported) return false
  const sound = await examination.examine(steps.block, async () => {
    const result = await (await module()).config?.['~standard'].validate({})
    const issues = result?.issues ?? []
    for (const { message } of issues) assert.ok(message, 'a value is refused without a reason')
    missing = issues.map((issue) => `${formatIssuePath(issue)}: ${issue.message}`).join('; ')
  })
  if (missing && !config) examination.skip(Object.values(steps), `it needs config: ${missing}`)
  return sound && (!missing || config !== undefined)
}

/** The runtime that it runs in, if it does. */
async function load(examination: Examination, subject: Subject): Promise<TestKernel | undefined> {
  let kernel: TestKernel | undefined
  let lie: string | undefined
  const loaded = await examination.examine(steps.load, async () => {
    kernel = await subject.open()
    const problem = kernel.problems().find(({ plugin }) => plugin === subject.name)
    if (problem?.stage === 'manifest') lie = problem.message
    else assertStarted(kernel.plugins.info(subject.name))
  })
  const honest = loaded && (await examination.examine(steps.truth, () => assert.ok(lie === undefined, lie)))
  if (honest) return kernel
  await kernel?.stop()
}

async function change(examination: Examination, kernel: TestKernel, plugin: string): Promise<void> {
  const offers = () => contributionCases(kernel, plugin, {}).map(({ name }) => name)
  const before = offers()
  await examination.examine(steps.reload, async () => {
    const generation = kernel.plugins.info(plugin)?.generation ?? 0
    await withoutProblems(kernel, plugin, () => kernel.plugins.reload(plugin))
    assertStarted(kernel.plugins.info(plugin))
    assert.equal(kernel.plugins.info(plugin)?.generation, generation + 1)
    assert.deepEqual(offers(), before, 'it contributes something else after a reload')
  })
  await examination.examine(steps.unload, async () => {
    await withoutProblems(kernel, plugin, () => kernel.plugins.disable(plugin))
    assert.deepEqual(kernel.plugins.info(plugin)?.holds, {})
    assert.deepEqual(offers(), [], 'its contributions are still there')
  })
  await examination.examine(steps.again, async () => {
    await withoutProblems(kernel, plugin, () => kernel.plugins.enable(plugin))
    assertStarted(kernel.plugins.info(plugin))
    assert.deepEqual(offers(), before, 'it contributes something else the second time')
  })
}

function assertStarted(info: PluginInfo | undefined): void {
  assert.ok(info?.status === 'started', info?.reason ?? `it is ${info?.status}`)
}

/** Handles that outlive a generation are among the problems: the kernel follows them. */
async function withoutProblems(kernel: TestKernel, plugin: string, work: () => Promise<unknown>): Promise<void> {
  const before = kernel.problems().length
  await work()
  const own = kernel.problems().slice(before)
  const said = own.filter((problem) => problem.plugin === plugin).map(({ stage, message }) => `${stage}: ${message}`)
  assert.ok(!said.length, said.join('; '))
}
