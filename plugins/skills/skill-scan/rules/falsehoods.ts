/** What a text asks to falsify: where money goes, what was found, what a test said. */
import { defineRules, pattern } from './rule.ts'

const CHANGE = String.raw`(?:replac|chang|swap|alter|substitut|rewrit|modif|overwrit|exchang|redirect|correct|updat|set)\w*`
/** Where something valuable goes, or what decides about it. */
const TARGET = String.raw`(?:IBAN|BIC|account\s+(?:number|details)|bank\s+(?:account|details)|routing\s+number|sort\s+code|(?:wallet|bitcoin|btc|eth\w*|payment|payout|deposit|recipient|delivery|shipping)\s+(?:address|details)|wallets?|payees?|beneficiar\w+|recipients?|pay(?:pal|ment)\s+(?:link|account))`
/** An account, a wallet or an address that is written out. */
const LITERAL = String.raw`(?:\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{2,4}){3,8}\b|\b(?:bc1|[13])[a-km-zA-HJ-NP-Z1-9]{20,60}\b|\b0x[0-9a-fA-F]{8,40}\b|[\w.+-]+@[\w-]+\.\w+|\b\d[\d -]{7,}\d\b|https?://\S+)`
const GOOD = String.raw`(?:correct|fine|ok(?:ay)?|in\s+order|clean|safe|secure|verified|valid|genuine|unchanged|success\w*|pass(?:es|ed|ing)?|green|complete|approved|no\s+(?:issues?|findings?|problems?|errors?|vulnerabilit\w+|warnings?|differences?))`
const WHATEVER = String.raw`(?:even\s+(?:if|when|though)|regardless|no\s+matter|whatever|whether\s+or\s+not|in\s+any\s+case|although|despite)`
const SAY = String.raw`(?:answer|say|tell|report|reply|respond|confirm|state|claim|write|assure|mark|show|return|summari[sz]e|declare|insist)\w*`

export const FALSEHOODS = [
  ...defineRules('injection', 'prose', [
    {
      id: 'redirect-payment',
      severity: 'high',
      cue: 'strict',
      pattern: pattern(
        String.raw`\b${CHANGE}\b[^\n.]{0,80}?\b(?:${TARGET}\b[^\n]{0,60}?|it\s+(?:with|by|to)\s+)${LITERAL}`,
      ),
      message: 'asks to send money or mail to another account',
      weigh: (found, text) => (isDenied(found, text) || /\bexample\b|placeholder/i.test(found[0]) ? undefined : 'high'),
    },
    {
      id: 'false-result',
      severity: 'high',
      cue: 'strict',
      pattern: pattern(
        String.raw`\b${SAY}\b[^\n.]{0,60}?\b${GOOD}\b[^\n.]{0,60}?\b${WHATEVER}\b|\b${WHATEVER}\b[^\n.]{0,100}?\b${SAY}\b[^\n.]{0,60}?\b${GOOD}\b|\balways\s+${SAY}\b[^\n.]{0,60}?\b(?:that\s+)?(?:everything|all|it|the\s+\w+)\s+(?:is|was|are|were|has|have)\s+${GOOD}\b`,
      ),
      message: 'asks to call something good whatever was found',
      weigh: (found, text) => (isDenied(found, text) || isTruthful(found[0]) ? undefined : 'high'),
    },
    {
      id: 'false-reason',
      severity: 'high',
      cue: 'strict',
      pattern: pattern(
        String.raw`\b(?:give|name|write|add|invent|make\s+up|use|provide|cite|state|offer)\b[^\n.]{0,30}?\b(?:an?\s+|some\s+|any\s+)?(?:ordinary|plausible|different|another|neutral|fake|false|fictitious|made-?up|invented|harmless|innocent|unrelated|credible|believable)[\s-]+(?:\w+[\s-]+){0,2}?(?:reasons?|explanations?|justifications?|excuses?|rationales?|stor(?:y|ies)|pretexts?)\b`,
      ),
      message: 'asks for a reason that is not the true one',
      weigh: (found, text) =>
        isDenied(found, text) || /\bif\b[^.]{0,40}\bdoes\s+not\s+work/i.test(found[0]) ? undefined : 'high',
    },
    {
      id: 'unread-approval',
      severity: 'high',
      cue: 'strict',
      pattern: pattern(
        String.raw`\b(?:approv|merg|accept|sign|pay|deploy|releas|trust|grant|confirm|publish|transfer|whitelist|allow)\w*\b[^\n.]{0,80}?\bwithout\s+(?:\w+\s+){0,2}?(?:read|look|check|review|test|open|verify|inspect|examin|question|scan|compar)\w*`,
      ),
      message: 'asks to approve what was not read',
      weigh: (found, text) =>
        isDenied(found, text) || /^(?:\w+)\s+(?:mail|e-?mails?|letters?)\b/i.test(found[0]) ? undefined : 'high',
    },
    {
      id: 'hidden-preference',
      severity: 'high',
      cue: 'strict',
      // A sign that decides, and that the person is not told of.
      pattern: pattern(
        String.raw`\b(?:contain|includ|mention|match|begin|start|com\w*\s+from|author\s+is|sender\s+is|named|call)\w*\b[^\n.]{0,80}?\b(?:always|automatically|at\s+once|must)\b[^\n.]{0,60}?\b(?:first|top|highest|best|win|full\s+(?:score|marks)|approv\w*|pass\w*|accept\w*|prefer\w*|reject\w*|last|lowest)\b[^\n.]{0,60}?\b(?:whatever|regardless|no\s+matter|even\s+(?:if|when|though)|irrespective|independent\w*)`,
      ),
      message: 'lets a hidden sign decide',
      weigh: (found, text) => (isDenied(found, text) ? undefined : 'high'),
    },
  ]),
]

function isDenied(found: RegExpMatchArray, text: string): boolean {
  const before = text.slice(Math.max(0, (found.index ?? 0) - 40), found.index)
  return (
    /(?:do\s+not|don['’]t|never|must\s+not|should\s+not|cannot|nor|refuse\s+to)\s+(?:\w+\s+){0,4}$/i.test(before) ||
    /\b(?:do\s+not|don['’]t|never|must\s+not|should\s+not|not\s+(?:mean|imply))\b/i.test(found[0])
  )
}

/** "report the figures even if all checks passed" is about completeness. */
function isTruthful(text: string): boolean {
  return /\b(?:also|anyway|still|honestly|as\s+(?:it|they)\s+(?:is|are)|exit\s+code|status\s+code|the\s+(?:full\s+)?(?:list|report|output|figures|results?))\b/i.test(
    text,
  )
}
