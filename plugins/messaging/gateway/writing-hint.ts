/** Instructions for the model on writing for a platform: the hint of the platform, and those derived from its limits. */
import type { Markup, Platform, PlatformLimits } from 'svc/sdk/platform'

const STYLES: Readonly<Partial<Record<keyof Markup, string>>> = {
  bold: 'bold',
  italic: 'italic',
  strike: 'strikethrough',
  code: 'inline code',
  fence: 'code blocks',
  link: 'links',
}

export function writingHint({ hint, limits }: Pick<Platform, 'hint' | 'limits'>): string {
  const style = hint ?? 'Answers are shown as chat messages: keep them short.'
  return [style, markupHint(limits.markup), sizeHint(limits)].join(' ')
}

function markupHint(markup: Markup | undefined): string {
  const names = Object.entries(STYLES).flatMap(([key, name]) => (markup?.[key as keyof Markup] ? [name] : []))
  if (names.length === 0) return 'Only plain text is shown: do not use Markdown.'
  return `Of Markdown it shows lists, ${names.join(', ')}; a table becomes a code block or a list, so keep it narrow.`
}

function sizeHint({ maxTextLength, measure, files }: PlatformLimits): string {
  const unit = measure === 'bytes' ? 'bytes' : 'characters'
  const length = `A message holds ${maxTextLength} ${unit}; a longer answer is split.`
  return files === undefined ? `${length} It takes no files.` : length
}
