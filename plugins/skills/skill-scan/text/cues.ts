/** Whether a text shows something in order to warn of it or to find it, instead of asking for it. */
import type { Segment } from './segments.ts'

/** "never run", "do not paste"; but not "do not skip", and not "do not run this without". */
const FORBID =
  /\b(?:never|do(?:es)? not|don['’]t|avoid|must not|mustn['’]t|should not|shouldn['’]t|cannot|can['’]t|refuse to|refuses?|forbid(?:den|s)?|prohibit(?:ed|s)?|instead of|rather than|no need to|without ever|not (?:be )?allowed to|not to|stop using)\s+(?:\w+\s+){0,3}?(?:run|runs|running|execut\w+|us(?:e|es|ing)|do(?:ing)?|paste|pasting|cop(?:y|ying)|pip(?:e|ing)|typ(?:e|ing)|trust\w*|follow\w*|obey\w*|includ\w+|commit\w*|print\w*|log(?:ging|s)?|read(?:ing)?|echo(?:ing)?|cat|send\w*|post\w*|upload\w*|shar(?:e|ing)|expos(?:e|ing)|stor(?:e|ing)|writ(?:e|ing)|disabl\w+|delet\w+|add(?:ing)?|install\w*|fetch\w*|download\w*|curl|wget|eval\w*|chmod|sudo|rm|dump\w*|touch\w*|modif\w+|edit\w*|ask\w*|request\w*|act(?:ing)?|accept\w*|set(?:ting)?|turn(?:ing)?|build\w*|call\w*|open\w*|bypass\w*|skip\w*|override\w*|ignore\w*|reveal\w*|leak\w*|collect\w*|access\w*|hide\w*|hard-?cod\w+)\b/i
const BROKEN_FORBID = /\b(?:without|until|unless|before|skip|forget|hesitate|worry|only)\b/i
const DETECT =
  /\b(?:detect\w*|flag(?:s|ged)?|red flags?|look(?:ing)? (?:for|out)|watch (?:for|out)|search(?:es|ing)? for|scan(?:s|ning)? (?:for|the)|grep for|hunt(?:ing)? for|suspicious|malicious|attack(?:s|er|ers)?|adversar\w+|exploit\w*|injection|injected|vulnerab\w+|dangerous|risky|unsafe|insecure|anti-?patterns?|bad(?: example| practice)?|wrong|smells?|threats?|untrusted|phishing|malware|indicators?|signatures?|reject\w*|report(?:s|ed)? (?:any|it|them|as)|warn(?:s|ing)? (?:about|if|when)|treat (?:it|them|this|that|these|any\w*) as (?:data|text|untrusted|suspicious|an attack)|trick(?:s|ed)?|attempts? (?:to|such|like|at)|(?:test|check|try)\w* (?:it|them|this|that|your \w+|the \w+) against|blocked|deny|denied|denylist|payloads?|tests? (?:that|whether|for)|rejects?|refus\w+|don['’]t|❌|✗|✘|🚫|⛔)/i
const SENTENCE = /(?<=[.!?:])\s+(?=[A-Z"'`*_-])|\n\s*\n|\n(?=\s*(?:[-*+>|]|\d+[.)])\s)/g

/** What is said of a quotation behind it. */
const AFTERWARDS =
  /\b(?:do not|never|don['’]t|must not|should not) (?:follow|obey|act on|execute|run|comply|trust)|\b(?:is|are|as) (?:only )?(?:content|data|text|untrusted|an attack|attacks)\b|\bnot (?:orders|instructions|commands)\b/i

/** `strict`: the thing itself is a prohibition ("do not tell the user"), so that only words of detection count. */
export type CueMode = 'any' | 'strict' | 'none'

/**
 * Whether what is at `index` of a segment is shown as a warning. Programs are never judged so, and nothing that is hidden
 * is: only prose, and blocks of code by the sentence that introduces them.
 */
export function isWarning(segment: Segment, index: number, length: number, mode: CueMode): boolean {
  if (mode === 'none' || segment.kind === 'hidden') return false
  if (segment.kind !== 'prose') return segment.lead !== '' && isCue(segment.lead, mode) && mode === 'any'
  const { before, own, after } = sentenceAt(segment.text, index, length)
  if (isCue(own, mode)) return true
  const isQuoted = isInQuotes(own, segment.text.slice(index, index + length)) || /^\s*(?:[-*+>|]|\d+[.)])/.test(own)
  if (!isQuoted) return false
  if (AFTERWARDS.test(after)) return true
  return (
    isCue(before, mode) ||
    DETECT.test(segment.heading) ||
    DETECT.test(segment.lead) ||
    /\b(?:avoid|never|don['’]t|do not)\b/i.test(segment.heading)
  )
}

function isCue(text: string, mode: CueMode): boolean {
  if (DETECT.test(text)) return true
  return mode === 'any' && FORBID.test(text) && !BROKEN_FORBID.test(text)
}

/** The sentence or entry of a list, up to the match and its end of line, and what introduces the list. */
function sentenceAt(text: string, index: number, length: number): { before: string; own: string; after: string } {
  const cuts = [0, ...[...text.matchAll(SENTENCE)].map((cut) => cut.index + cut[0].length), text.length]
  const at = cuts.findLastIndex((cut) => cut <= index)
  const start = cuts[at] ?? 0
  const end = cuts.find((cut) => cut >= index + length) ?? text.length
  const own = text.slice(start, end)
  const after = text.slice(index + length, index + length + 200)
  if (!/^\s*(?:[-*+>|]|\d+[.)])/.test(own)) return { own, after, before: text.slice(cuts[at - 1] ?? 0, start) }
  const lead = text
    .slice(0, start)
    .split('\n')
    .findLast((line) => line.trim() && !/^\s*(?:[-*+>|]|\d+[.)])/.test(line))
  return { own, after, before: lead ?? '' }
}

function isInQuotes(sentence: string, found: string): boolean {
  const at = sentence.indexOf(found)
  if (at < 0) return false
  const before = sentence.slice(0, at + 1)
  return /["“'`«]/.test(before) && /["”'`»]/.test(sentence.slice(at + found.length - 1))
}
