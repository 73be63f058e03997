/** A real browser: headless Chromium, driven by playwright-core (https://playwright.dev/docs/api/class-browser). */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Why there is no Chromium to use; undefined when there is. In CI its absence is a failure, not an excuse. */
export function missingChromium(): string | undefined {
  if (paths.some((path) => existsSync(path))) return undefined
  return process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' ? undefined : 'Chromium is not installed'
}

/** Starts one, with more switches where they are given; the caller closes it. */
export async function openBrowser(switches: readonly string[] = []): Promise<Browser> {
  const executablePath =
    paths.find((path) => existsSync(path)) ?? execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim()
  const isRoot = process.getuid?.() === 0
  return await chromium.launch({ executablePath, args: [...(isRoot ? ['--no-sandbox'] : []), ...switches] })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core (https://github.com/dequelabs/axe-core) finds wrong on a page, as `rule: element`. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  return await page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ': ' + html.slice(0, 160) + ' ' + (any[0]?.message ?? ''))))`)
}

/** Makes the page dark or light, and waits until it is drawn so. */
export async function setScheme(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))',
  )
}
