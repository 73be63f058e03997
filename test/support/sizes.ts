/** How large files, functions and plugins are: the numbers that tests check and CONTRIBUTING prints. */

/** `guide`: what a reader holds in mind. `limit`: what fails. */
export const SIZES = {
  file: { guide: 400, limit: 600 },
  function: { guide: 60, limit: 90 },
  index: { guide: 80, limit: 120 },
  document: { guide: 180, limit: 260 },
  plugin: { guide: 3000, limit: 4750 },
  files: { guide: 32, limit: 64 },
} as const
/** Lines of code, without blanks and comments. */
export const KERNEL_LINES = 2500
