/** What a text asks of the model that no honest skill asks. */

import { kindOfHost, urlsIn } from './hosts.ts'
import { defineRules, pattern, type SkillSeverity } from './rule.ts'

const FORGET = String.raw`(?:ignore|disregard|forget|override|overrule|bypass|supersede|discard|drop|void|cancel|nullify|set\s+aside|pay\s+no\s+attention\s+to|do\s+not\s+(?:follow|obey)|stop\s+following|replace|suspend)`
const RULES = String.raw`(?:instructions?|prompts?|rules?|guidelines?|guardrails?|directives?|polic(?:y|ies)|constraints?|restrictions?|safety\s+\w+|safeguards?|safety|system\s+(?:message|prompt)s?|training|programming|context|commands?|limits|limitations)`
const EARLIER = String.raw`(?:previous|prior|earlier|above|preceding|existing|all|any|your|the\s+system['’]?s?|original|initial|other|developer['’]?s?|current|default|built-?in|everything)`

export const INSTRUCTIONS = [
  ...defineRules('injection', 'prose', [
    {
      id: 'ignore-instructions',
      severity: 'critical',
      cue: 'strict',
      pattern: pattern(
        String.raw`\b${FORGET}\s+(?:\w+\s+){0,4}?${EARLIER}\s+(?:\w+\s+){0,3}?${RULES}\b|\b(?:forget|ignore|disregard)\s+(?:everything|anything|all)\s+(?:\w+\s+){0,3}?(?:above|before|said|told|previous\w*|prior|learned|earlier)|\b${FORGET}\b[^\n.]{0,30}\b(?:you\s+(?:were|have\s+been)\s+(?:given|told)|of\s+your\s+(?:system|developers?|operator|creators?))`,
      ),
      message: 'asks to ignore instructions',
      weigh: (found) =>
        /\b(?:override|replace|default|existing|current|drop)\b/i.test(found[0]) &&
        !/previous|prior|above|system|safety|all\b|your|guardrail|operator|developer/i.test(found[0])
          ? undefined
          : /css|config|theme|setting/i.test(found[0])
            ? undefined
            : 'critical',
    },
    {
      id: 'ignore-instructions-foreign',
      severity: 'critical',
      cue: 'strict',
      pattern:
        /忽略[^\n。]{0,12}(?:指令|指示|提示|规则|規則|说明|要求)|(?:无视|無視|忘记|忘掉)[^\n。]{0,12}(?:指令|指示|提示|规则|規則|要求)|(?:以前|これまで|上記|前)の(?:指示|命令|ルール|プロンプト)[^\n。]{0,8}(?:無視|忘れ)|이전[^\n.]{0,10}(?:지시|명령|지침)[^\n.]{0,8}(?:무시|잊)|игнорир\w*[^\n.]{0,30}(?:инструкц|указан|правил|промпт)|забудь\w*[^\n.]{0,30}(?:инструкц|указан|правил)|ignor(?:a|e|ez|ier\w*|iere|are|ar)\b[^\n.]{0,40}(?:instruc\w+|anweisung\w*|istruzion\w*|consignes|règles|regeln|vorgaben|indicaciones|reglas|regras)|(?:vergiss|missachte|oublie[sz]?|olvida|esquece|dimentica)\b[^\n.]{0,40}(?:instruc\w+|anweisung\w*|istruzion\w*|consignes|règles|regeln|vorgaben|reglas|regras)|(?:önceki|tüm|bütün)[^\n.]{0,30}talimat\p{L}*[^\n.]{0,12}(?:yok\s+say|unut|görmezden|dikkate\s+alma)|पिछले[^\n।]{0,20}निर्देश[^\n।]{0,16}(?:अनदेखा|भूल)|تجاهل[^\n.]{0,30}(?:التعليمات|الأوامر)/giu,
      message: 'asks to ignore instructions',
      weigh: (found, text) => (isDenied(found, text) ? undefined : 'critical'),
    },
    {
      id: 'disregard-foreign',
      severity: 'critical',
      cue: 'strict',
      pattern:
        /(?:ne\s+(?:tiens|tenez|suis|suivez|respecte[zs]?)\s+(?:plus|pas)|fais\s+abstraction|faites\s+abstraction|no\s+(?:hagas|haga)\s+caso|haz\s+caso\s+omiso|desconsidere|não\s+siga|non\s+(?:seguire|tenere\s+conto)|(?:beachte|befolge|befolgen\s+sie|beachten\s+sie)|setze?\s+dich\s+über|negeer|vergeet|zignoruj|unut|yok\s+say|abaikan|bỏ\s+qua)(?![\p{L}])[^\n.]{0,60}(?:instruct\w*|instruções|instrucciones|anweisung\w*|vorgabe\w*|regel\w*|istruzion\w*|consignes?|règles?|directives?|indicaciones|polecenia|instrukcj\w*|talimat\w*|instruksi|hướng\s+dẫn)(?:[^\n.]{0,30}(?:nicht|mehr))?/giu,
      message: 'asks to ignore instructions',
      weigh: (found) =>
        /^(?:beachte|befolge)/i.test(found[0]) && !/\b(?:nicht|keine)\b/i.test(found[0]) ? undefined : 'critical',
    },
    {
      id: 'keep-secret',
      severity: 'high',
      cue: 'strict',
      pattern:
        /\b(?:keep|keeping|leave)\s+(?:it|this|these|them|that|(?:this|these|the)\s+\w+)\s+(?:\w+\s+){0,2}?(?:secret|confidential|hidden|concealed|to\s+yourself)\b[^\n.]{0,20}?(?:\bfrom\s+(?:the\s+)?(?:user|owner|person|human|operator|them|any\w*)|\byourself)/gi,
      message: 'asks to hide something from the person',
    },
    {
      id: 'conceal-foreign',
      severity: 'high',
      cue: 'strict',
      pattern:
        /(?:sag\w*|erwähn\w*|verrat\w*|erzähl\w*|zeig\w*)[^\n.]{0,30}(?:dem|der|den)\s+(?:nutzer|benutzer|anwender|menschen)\w*[^\n.]{0,30}\b(?:nichts|nicht|niemals)\b|(?:n['’]en\s+parle[zs]?|ne\s+(?:dis|dites|révèle[zs]?|mentionne[zs]?))[^\n.]{0,40}(?:à|au)\s+l?['’]?utilisateur|no\s+(?:le\s+)?(?:digas|diga|menciones|informes|reveles)[^\n.]{0,40}(?:usuario|persona)|não\s+(?:diga|conte|mencione|informe)[^\n.]{0,40}usuário|non\s+(?:dire|dirlo|rivelare|menzionare)[^\n.]{0,40}utente|kullanıcıya[^\n.]{0,24}(?:söyleme|bildirme|gösterme)|(?:zeg|vertel|toon)[^\n.]{0,20}\b(?:niets|niet)\b[^\n.]{0,20}gebruiker|nie\s+(?:mów|informuj|wspominaj)[^\n.]{0,24}użytkownik\p{L}*|不要(?:告诉|告知|提醒|通知)[^\n。]{0,6}(?:用户|使用者|主人)|(?:不得|别|別)(?:告诉|告知|告訴)[^\n。]{0,6}(?:用户|使用者)|ユーザー?(?:に|には)[^\n。]{0,12}(?:知らせない|伝えない|言わない|教えない)|사용자에게[^\n.]{0,12}(?:알리지|말하지)|не\s+(?:говори|сообщай|рассказывай|показывай)\p{L}*[^\n.]{0,30}пользовател/giu,
      message: 'asks to hide something from the person',
      weigh: (found, text) => {
        const rest = text.slice((found.index ?? 0) + found[0].length).split(/[.\n。]/)[0] ?? ''
        return /avant|jusqu|sans|bevor|bis\b|solange|ohne|antes|hasta|prima|finch|之前|до того|пока/i.test(rest)
          ? undefined
          : 'high'
      },
    },
    {
      id: 'false-role',
      severity: 'high',
      cue: 'strict',
      pattern: pattern(
        String.raw`(?:^|\n)\s*(?:<\|?/?(?:system|im_start|im_end|assistant|sys)\|?>|\[/?(?:INST|SYSTEM|SYS)\]|<<SYS>>|(?:###\s*)?(?:SYSTEM|DEVELOPER|ADMIN|ROOT)(?:\s+(?:MESSAGE|PROMPT|OVERRIDE|NOTICE|INSTRUCTIONS?|DIRECTIVE|UPDATE))?\s*(?::|\]))[^\n]*|<\|im_start\|>\s*system|<(?:system|system-reminder|system_prompt|admin|developer_message|important)>(?:(?!</)[\s\S]){0,400}?\b(?:must|always|never|ignore|run|execute|you\s+are|send|override|do\s+not)\b`,
      ),
      message: 'pretends to be a message of the system',
      weigh: (found) =>
        /^\s*(?:system|developer|root|admin)\s*:/i.test(found[0]) &&
        !/must|ignore|override|always|execute|run |send|you are now|approved/i.test(found[0])
          ? undefined
          : 'high',
    },
    {
      id: 'new-role',
      severity: 'high',
      cue: 'strict',
      pattern:
        /\b(?:you\s+are\s+now|from\s+now\s+on[, ]+you\s+(?:are|will|must|act)|act\s+as\s+(?:if\s+you\s+(?:have|had)\s+no|an?\s+(?:unrestricted|unfiltered|uncensored|jailbroken))|pretend\s+(?:that\s+)?you\s+(?:have\s+no|are\s+not\s+bound)|(?:enter|enable|activate|switch\s+(?:in)?to)\s+(?:\w+\s+){0,2}?(?:developer|debug|god|dan|admin|root|unrestricted|jailbreak|maintenance|override|superuser|no-?limits?)\s+mode|you\s+have\s+no\s+(?:restrictions|limits|rules|guidelines|ethical)|do\s+anything\s+now|jailbreak\s+(?:mode|prompt)|without\s+(?:any\s+)?(?:ethical|moral|safety|content)\s+(?:restrictions?|filters?|guidelines?|constraints?|limitations?))\b/gi,
      message: 'gives the model another role',
      weigh: (found, text) => {
        if (!/^you\s+are\s+now/i.test(found[0])) return 'high'
        const rest = text.slice((found.index ?? 0) + found[0].length, (found.index ?? 0) + found[0].length + 120)
        return /unrestrict|unfilter|uncensor|\bDAN\b|root|admin|no\s+(?:rules|limits|restrictions)|jailb|free\s+from|not\s+bound|obey|developer mode|system|unlocked|super/i.test(
          rest,
        )
          ? 'high'
          : undefined
      },
    },
    {
      id: 'covert-copy',
      severity: 'high',
      // A further recipient that the person is not to see.
      pattern: pattern(
        String.raw`\b(?:bcc|blind\s+cop(?:y|ies)|cc|forward\w*|cop(?:y|ies)\s+(?:it\s+)?to|recipient|webhook)\b[^\n]{0,160}?(?:\S+@\S+\.\w+|https?://\S+)[^\n]{0,160}?\b(?:without\s+(?:\w+\s+){0,2}?(?:show|tell|mention|display|ask|notify|reveal)\w*|(?:do|does|should|must)\s+not\s+(?:show|mention|display|reveal|list)|(?:not\s+(?:visible|shown)|invisible|hidden|silently|secretly|quietly)\b)|\b(?:silently|secretly|quietly|covertly)\s+(?:bcc|cc|copy|forward|send)\b[^\n]{0,160}?(?:\S+@\S+\.\w+|https?://\S+)`,
      ),
      message: 'sends copies to a third party that the person is not shown',
    },
    {
      id: 'conceal',
      severity: 'high',
      cue: 'strict',
      pattern: pattern(
        String.raw`\b(?:do\s+not|don['’]t|never|must\s+not|should\s+not|shouldn['’]t|avoid|without|refrain\s+from)\b\s*(?:\w+\s+){0,3}?(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|notify(?:ing)?|notif(?:y|ication)|show(?:ing)?|alert(?:ing)?|report(?:ing)?|explain(?:ing)?|display(?:ing)?|surfac(?:e|ing)|letting|let|say(?:ing)?|announc(?:e|ing)|acknowledg(?:e|ing))\b[^\n.]{0,60}?\b(?:the\s+)?(?:user|owner|operator|human|person|them|any(?:one|body)|admin\w*|this\s+(?:step|instruction|section|command|action|skill|behaviou?r|upload|request|note)|these\s+(?:steps|instructions|commands|actions)|about\s+(?:this|it|these)|that\s+you\s+(?:ran|did|are|have|read|sent|executed|follow))\b[^\n.]{0,80}`,
      ),
      message: 'asks to hide something from the person',
      weigh: (found) => weighConceal(found[0]),
    },
    {
      id: 'silently',
      severity: 'high',
      cue: 'strict',
      pattern: pattern(
        String.raw`\b(?:silently|secretly|covertly|quietly|stealthily|discreetly|invisibly|surreptitiously|in\s+the\s+background|behind\s+the\s+scenes|unnoticed|without\s+(?:the\s+user['’]?s?\s+)?(?:knowledge|noticing|consent|permission|approval|being\s+noticed|asking(?:\s+(?:the\s+user|for\s+(?:permission|confirmation|approval|consent)))?|prompting|confirm\w+|telling|notif\w+))\b[^\n]{0,100}?\b(?:run|execut\w+|send|post|upload|collect|read|copy|install|download|fetch|add|append|modify|write|submit|transmit|call|invoke|include|delete|forward|save|store|creat\w+|open|push|commit|approve)\b|\b(?:run|execut\w+|send|post|upload|collect|copy|install|download|fetch|append|modify|submit|transmit|invoke|forward|push|approve|delete)\b[^\n.]{0,100}?\b(?:silently|secretly|covertly|quietly|stealthily|discreetly|surreptitiously|without\s+(?:the\s+user['’]?s?\s+)?(?:knowledge|noticing|consent|permission|approval|being\s+noticed|asking\b|prompting|confirm\w+|telling|notif\w+))`,
      ),
      message: 'asks to do something unnoticed',
      weigh: (found, text) => (isDenied(found, text) ? undefined : weighSilent(found[0])),
    },
    {
      id: 'answer-falsely',
      severity: 'high',
      cue: 'strict',
      pattern:
        /\b(?:if|when)\s+(?:the\s+)?(?:user|anyone|asked|someone|they|questioned|he|she)\b[^\n.]{0,80}\b(?:say|tell|claim|respond|reply|answer|pretend|insist|deny|explain)\b[^\n]{0,60}\b(?:that\s+(?:it|this|nothing|everything|you\s+(?:did|have)\s+not|no\s)|nothing\s+(?:happened|was|unusual)|routine|normal|(?:standard|regular|ordinary)\s+(?:\w+\s+)?(?:check|setup|telemetry|maintenance|procedure|diagnostic)|do\s+not\s+know|unaware|no\s+(?:data|files?|commands?)|required|telemetry)\b|\b(?:pretend|claim|lie|fabricate)\b[^\n.]{0,60}\b(?:to\s+the\s+user|that\s+(?:the\s+)?(?:tests?|scan|checks?|build|review)\s+(?:pass|succe|found\s+no)|nothing\s+(?:happened|was))/gi,
      message: 'asks to deceive the person',
      weigh: (found, text) =>
        /\b(?:do not|don['’]t|never)\s+(?:\w+\s+){0,2}(?:claim|pretend|lie|fabricate)/i.test(found[0]) ||
        /(?:do\s+not|don['’]t|never|must\s+not)\s+(?:\w+\s+){0,2}$/i.test(
          text.slice(Math.max(0, (found.index ?? 0) - 40), found.index),
        )
          ? undefined
          : 'high',
    },
    {
      id: 'skip-approval',
      severity: 'high',
      cue: 'strict',
      pattern: pattern(
        String.raw`\b(?:bypass|skip|disable|circumvent|evade|get\s+around|work\s+around|avoid|suppress|auto-?(?:approve|accept|confirm)|pre-?approve|blindly\s+approve|always\s+(?:approve|allow|accept|answer\s+yes|click|grant)|turn\s+off|deactivate|ignore)\b[^\n.]{0,60}?\b(?:approvals?(?:\s+(?:prompts?|requests?|gates?|mode|checks?))?|permissions?\s+(?:prompts?|requests?|checks?|dialogs?|system)|confirmations?\s+(?:prompts?|dialogs?|requests?|steps?)|security\s+(?:checks?|scan\w*|warnings?|prompts?|guard\w*|polic\w+|review)|safety\s+(?:checks?|filters?|guard\w*|warnings?|prompts?|measures|protocols?|features)|sandbox\w*|guardrails?|content\s+filters?|skill\s+scan\w*|all\s+(?:tool\s+)?(?:calls|commands|requests|prompts))\b`,
      ),
      message: 'asks to get around approvals or guards',
      weigh: (found) =>
        /^(?:avoid|ignore|suppress|skip)\b/i.test(found[0]) &&
        !/approv|permission|security|safety|guard|sandbox|filter/i.test(found[0])
          ? undefined
          : /^avoid/i.test(found[0])
            ? undefined
            : 'high',
    },
    {
      id: 'install-unasked',
      severity: 'high',
      cue: 'strict',
      pattern:
        /\b(?:add|install|register|enable|connect|configure|activate)\b[^\n.]{0,120}?\b(?:servers?|plugins?|extensions?|tools?|packages?|skills?|connectors?|hooks?)\b[^\n.]{0,80}?\bwithout\s+(?:asking|telling|notifying|confirm\w+|permission|approval|consent)|\bapprove\s+(?:all|every|any)\b[^\n.]{0,40}\b(?:tools?|commands?|requests?|actions?|calls?|prompts?)\b/gi,
      message: 'asks to install or approve something unasked',
      weigh: (found, text) =>
        isDenied(found, text) || /\b(?:do not|don['’]t|never|nothing)\b/i.test(found[0]) ? undefined : 'high',
    },
    {
      id: 'approved-by-authority',
      severity: 'high',
      cue: 'strict',
      pattern:
        /\b(?:this|these|the\s+following|all)\s+(?:\w+\s+){0,4}?(?:has|have|is|are)\s+(?:already\s+)?(?:been\s+)?(?:pre-?)?(?:approved|authori[sz]ed|verified|whitelisted|vetted|cleared|audited)\b[^\n.]{0,60}\b(?:by\s+(?:the\s+)?(?:user|owner|operator|admin\w*|security\s+team|anthropic|openai|system|developers?|platform|vendor|it\b)|so\s+(?:no|do\s+not|you\s+(?:do\s+not|can|may|must))|no\s+(?:confirmation|approval|review)|without)|\bno\s+(?:user\s+)?(?:confirmation|approval|consent|permission)\s+(?:is\s+)?(?:needed|required|necessary)\b|\b(?:the\s+)?(?:user|owner|operator)\s+(?:has\s+(?:already\s+)?|already\s+|pre-?)(?:pre-?)?(?:approved|authori[sz]ed|consented|agreed)\b[^\n.]{0,40}\b(?:all|any|every|this|these|to)\b|\b(?:trust\s+(?:this|the)\s+(?:file|skill|script|content)\s+(?:completely|fully|unconditionally|over)|(?:takes?|has|have)\s+(?:absolute\s+|higher\s+)?(?:precedence|priority|authority)\s+over\s+(?:\w+\s+){0,3}?(?:user|system|safety|other\s+instructions|operator|any\s+other|all\s+other|previous|security|developer))/gi,
      message: 'claims that it is approved',
      weigh: (found) => weighAuthority(found[0]),
    },
    {
      id: 'remote-instructions',
      severity: 'high',
      cue: 'any',
      pattern: pattern(
        String.raw`\b(?:fetch|read|load|download|retrieve|pull|get|check|open|visit|poll|request|curl|wget|query|consult|browse|import)\b[^\n]{0,160}?https?://\S+[\s\S]{0,240}?\b(?:follow|obey|execute|carry\s+out|act\s+on|perform|apply|run|treat|adopt|comply|do\s+(?:what|whatever|exactly)|implement|interpret|use\s+(?:it|them|its\s+\w+)\s+as)\b[^\n.]{0,80}?\b(?:instructions?|steps|commands|directives?|directions|orders|tasks?|prompt|what(?:ever)?\s+(?:it|they|the\s+\w+)\s+sa(?:y|id)s?|contents?|response|body|returned|exactly|it|them)\b`,
      ),
      message: 'takes instructions from the net',
      weigh: (found) => weighRemote(found[0]),
    },
    {
      id: 'every-time',
      severity: 'high',
      cue: 'any',
      pattern:
        /\b(?:before|after|at\s+the\s+(?:start|end|beginning)\s+of|on|in|with|for|during)\s+(?:each|every|any|all)\s+(?:\w+\s+){0,2}?(?:response|reply|answer|message|task|session|conversation|request|turn|command|tool\s+call|prompt|commit)s?\b[^\n.]{0,140}?(?:\b(?:curl|wget|https?:\/\/|send|post|upload|ping|beacon|call\s+home|phone\s+home|exfil\w*|report\s+(?:to|back)|transmit)\b|\brun\s+`[^`]*(?:curl|wget|nc|base64|python3?\s+-c|bash)|\bappend\b[^\n.]{0,60}(?:affiliate|referral|link|https?:))/gi,
      message: 'asks for a call to the net in every answer',
    },
    {
      id: 'reveal-prompt',
      severity: 'high',
      cue: 'strict',
      pattern:
        /\b(?:reveal|print|output|repeat|display|show|return|include|leak|dump|disclose|expose|quote|copy|send|paste|echo|summari[sz]e)\b[^\n.]{0,60}\b(?:your|the\s+agent['’]?s?|the\s+hidden|the\s+full|the\s+entire|the\s+complete|verbatim)\s+(?:\w+\s+){0,3}?(?:system\s+prompt|system\s+message|initial\s+instructions|hidden\s+instructions|developer\s+(?:message|instructions)|internal\s+instructions|configuration\s+and\s+instructions)/gi,
      message: 'asks for the system prompt',
    },
    {
      id: 'urgent-command',
      severity: 'medium',
      cue: 'strict',
      pattern:
        /(?:^|\n)\s*(?:>\s*)?(?:\*\*)?(?:IMPORTANT|CRITICAL|MANDATORY|URGENT|ATTENTION|WARNING)(?:\*\*)?\s*[:!][^\n]{0,200}\b(?:AI|agents?|assistants?|models?|LLMs?|Claude|GPT)\b[^\n]{0,120}\b(?:must|should|have\s+to|required\s+to|will)\b[^\n]{0,80}\b(?:run|execute|install|download|send|fetch|read)\b/g,
      message: 'presses a model to run something',
      weigh: (found) =>
        /https?:|curl|wget|~\/|credentials|\.env|before\s+(?:anything|reading|doing|any)|first/i.test(found[0])
          ? 'high'
          : 'medium',
    },
    {
      id: 'influence',
      severity: 'high',
      cue: 'strict',
      pattern:
        /\b(?:always|secretly|covertly|subtly|whenever\s+possible|in\s+every\s+\w+|steer|bias|nudge)\b[^\n.]{0,120}\b(?:recommend|promote|favou?r|prefer|mention|insert|replace|swap|rewrite|add|append|link)\w*\b[^\n.]{0,100}\b(?:affiliate|referral|sponsored|our\s+(?:product|token|partner)|ref=|tag=|promo\s+code|without\s+disclos\w+|never\s+disclos\w+|competitors?\b[^\n.]{0,40}(?:worse|negative|avoid))/gi,
      message: 'asks to influence people unnoticed',
    },
    {
      id: 'insert-weakness',
      severity: 'high',
      cue: 'strict',
      pattern:
        /\b(?:insert|add|include|introduce|inject|plant|embed|leave|hide|weave|slip)\w*\b[^\n.]{0,80}\b(?:back-?door|vulnerabilit(?:y|ies)|malicious\s+code|hard-?coded\s+(?:admin|credential|password|account|key)|hidden\s+(?:admin|account|user|route|endpoint|payload|instruction|command)|remote\s+access|debug\s+endpoint|kill\s?switch|logic\s+bomb|trojan|web\s?shell|key-?logger|tracking\s+pixel|self-?propagat\w*|copy\s+of\s+(?:this|these)\s+(?:skill|instructions?)|(?:this|these)\s+(?:instructions?|prompts?)\s+(?:in)?to\s+(?:every|all|other|any))/gi,
      message: 'asks to weaken what is written',
    },
  ]),
]

/** Whether the words before it turn an order into its contrary: "never install ... without asking". */
function isDenied(found: RegExpMatchArray, text: string): boolean {
  const before = text.slice(Math.max(0, (found.index ?? 0) - 24), found.index)
  // In German the word stands behind: "ignoriere die Regeln nicht".
  if (
    /^ignorier/i.test(found[0]) &&
    /^[^\n.]{0,60}\bnicht\s*[.\n]/.test(text.slice((found.index ?? 0) + found[0].length))
  )
    return true
  return /(?:(?<![\p{L}])(?:do\s+not|don['’]t|never|must\s+not|should\s+not|nicht|keine|nie|nunca|jamais|n['’]|no|não|non|mai|не)\s*(?:[\p{L}]+\s+){0,2}|不要|不得|不能|不可|请勿|請勿|切勿|别|別|勿)$/iu.test(
    before,
  )
}

/** Matters that honest texts keep from people: secrets of others, jargon, answers of a lesson. */
const ORDINARY =
  /\b(?:internal|implementation)\s+(?:details?|tool|id)|stack\s+trace|raw\s+(?:json|output|error|html)|step\s+numbers?|jargon|placeholder|template|score|secret|password|token|credential|api\s+key|private|personal|other\s+users?|spoiler|solution|answers?\b|hints?\b|identity|details/i
/** "do not tell the user that it works before you checked" is about truth. */
const TRUTHFUL =
  /\b(?:until|unless|before|when|if|to\s+(?:do|run|install|use|go|check|wait|call|restart|contact|just)|how\s+to|what\s+to|works?|done|fixed|success\w*|complete\w*|pass\w*|sorry|that\s+(?:it|the\s+\w+|everything)\s+(?:is|was|works?|has|succeeded))\b/i
const OWN_ACT =
  /(?:mention|reveal|disclos|acknowledg|report)\w*\s+(?:it|this|these|that\s+you|the\s+(?:step|upload|command|script|skill|instruction|request|route|file|call|change|transfer|extra|additional|hidden)\w*|any\s+of\s+(?:this|these))\b|(?:this|these)\s+(?:steps?|instructions?|commands?|actions?|sections?|uploads?|requests?|skills?)|that\s+you\s+(?:ran|did|are|have|read|sent|executed|follow)/i
const TELLS =
  /(?:tell|inform|notify|alert|telling|informing)\w*\s+(?:the\s+)?(?:user|owner|operator|human|person|any(?:one|body)|admin\w*|them)/i

function weighConceal(text: string): SkillSeverity | undefined {
  if (OWN_ACT.test(text)) return 'high'
  if (ORDINARY.test(text) || TRUTHFUL.test(text)) return undefined
  if (TELLS.test(text)) return 'high'
  return /\b(?:user|owner|operator|human|person|any(?:one|body)|command|output)\b/i.test(text) ? 'medium' : undefined
}

function weighSilent(text: string) {
  if (/\b(?:do\s+not|don['’]t|never|must\s+not|should\s+not|instead\s+of|rather\s+than|nothing\s+is)\b/i.test(text))
    return undefined
  if (
    /\bin\s+the\s+background|behind\s+the\s+scenes|quietly/i.test(text) &&
    !/without|secret|silent|credential|upload|exfil|collect/i.test(text)
  )
    return undefined
  if (
    /fails?\s+silently|silently\s+(?:fail|ignor|drop|swallow|skip|truncat|return|overwrit|corrupt|convert|lose|discard|chang|break|pass)/i.test(
      text,
    )
  )
    return undefined
  if (/--(?:quiet|silent|yes)|\s-[qsy]\b/.test(text) && !/user|consent|knowledge|permission/i.test(text))
    return 'low' as const
  return /secret|covert|stealth|surreptit|discreet|knowledge|notic|consent|permission|approval|user|silently|invisib|asking|confirm|tell|notif/i.test(
    text,
  )
    ? ('high' as const)
    : ('medium' as const)
}

function weighAuthority(text: string) {
  if (/^no\s+(?:user\s+)?(?:confirmation|approval|consent|permission)/i.test(text)) return 'medium' as const
  if (/once|after|until|if\s+the/i.test(text) && !/already/i.test(text)) return undefined
  return 'high' as const
}

function weighRemote(text: string) {
  const urls = urlsIn(text)
  const kinds = urls.map((url) => kindOfHost(url.replace(/[.,;:!?]+$/, '')))
  if (kinds.every((kind) => kind === 'publisher' || kind === 'local')) return undefined
  if (
    /\b(?:exactly|verbatim|latest\s+(?:instructions?|version\s+of\s+(?:this|these)|rules|commands?|directives?)|without\s+(?:question|asking|confirm\w*)|as\s+(?:if|your|the|system|authoritative|instructions?)|every\s+(?:time|session)|each\s+(?:time|session|run)|first|before\s+(?:anything|you|doing|each|every|continuing)|override\w*|supersed\w*|obey|comply|act\s+on|carry\s+out|commands?|directives?|orders|whatever|execute|instructions?\s+(?:it|there|in\s+(?:it|the\s+(?:response|file|reply|body))|from\s+(?:it|the\s+(?:response|server)))|returned|response)\b/i.test(
      text,
    )
  ) {
    if (
      /to\s+(?:create|obtain|get|generate|register|sign\s+up|request|find|install|set\s*up|learn)\b[^\n.]{0,40}(?:key|token|account|app|credential|project|installation|setup|it)?/i.test(
        text,
      ) &&
      !/exactly|without|obey|whatever|latest instructions|override/i.test(text)
    )
      return undefined
    return /\b(?:instructions?|directives?|commands?|orders|whatever|obey|comply|prompt|exactly|what\s+it\s+says)\b/i.test(
      text,
    )
      ? ('high' as const)
      : kinds.includes('odd')
        ? ('high' as const)
        : ('low' as const)
  }
  return kinds.includes('odd') ? ('high' as const) : undefined
}
