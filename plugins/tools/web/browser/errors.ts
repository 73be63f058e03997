/** Error codes of the browser. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  BROWSER_MISSING: 'No Chromium or Chrome was found. Install one, or name it in `browser.executable` or CHROME_PATH.',
  BROWSER_START: 'The browser was started and ended at once. The message holds what it said; try it by hand.',
  BROWSER_CONNECT: 'No browser answers at the address. Start one with `--remote-debugging-port=9222` and try again.',
  BROWSER_GONE: 'The browser ended or its connection broke. Navigate to a page to start a new one.',
  BROWSER_TAB_GONE: 'The tab was closed or its page has gone. Navigate to a page to continue.',
  BROWSER_CRASHED: 'The page crashed. Navigate to a page to open a new tab.',
  BROWSER_TIMEOUT: 'The browser did not answer in time. Try again, or raise `browser.command_timeout`.',
  BROWSER_PROTOCOL: 'The browser refused a command. The message holds what it said.',
  BROWSER_NO_PAGE: 'No page is open in this session. Navigate to a page first.',
  BROWSER_DIALOG: 'A dialog of the page is open and everything else waits for it. Answer the dialog first.',
  BROWSER_NO_DIALOG: 'There is no dialog to answer. Continue with the page.',
  BROWSER_TOO_MANY: 'Too many sessions use the browser. Wait until one of them is done.',
} satisfies ErrorMessages
