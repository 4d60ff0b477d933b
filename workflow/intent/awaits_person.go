package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/phrases"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// awaitsPerson reports whether an English clause says that a person comes first, or takes an approval back:
// "ask dora first", "legal has to sign off", "not before bea has seen it", "I'll revert that". What the
// product or its users have to do ("the bank has to confirm it") is none.
func awaitsPerson(clause string) bool {
	said := phrases.Fold(clause)
	if len(strings.Fields(said)) > maxObjection {
		return false
	}
	for _, form := range awaiting {
		if m := form.FindStringSubmatch(said); m != nil && !slices.ContainsFunc(m[1:], isNobody) {
			return true
		}
	}
	return false
}

// isNobody reports whether the words where a form has a person name none.
func isNobody(who string) bool {
	for _, word := range strings.Fields(who) {
		if slices.Contains(nobodies, word) {
			return true
		}
	}
	return aboutUsers.MatchString(who)
}

// nobodies are words that stand where a name could, and name nobody who decides about the work.
var nobodies = []string{
	"you", "u", "it", "this", "that", "these", "those", "bobbin", "bot", "there", "everything", "nothing",
	"which", "what", "who", "one", "people", "customers", "clients", "managers", "admins", "operators",
	"clerks", "cashiers", "banks", "code", "tests", "it's", "and", "then", "they're", "also", "not", "only",
	"yourself", "tax", "login",
}

// Parts of the forms, folded: what opens a clause, a person, what a person does with the work, and the work.
const (
	opensClause = `^(?:(?:please|pls|plz|ok|okay|no|hey|guys|folks|sorry|well|hm|but|and|so|just|now|` +
		`maybe|perhaps|better|first|i think|i guess|id say|you should|we should|we need to|we have to|` +
		`you need to|can you|could you|can we|could we|lets|bobbin)[ ]+)*`
	aPerson = `(?:(?:the|my|our|your) (?:\w+ )?(?:team|boss|owner|owners|lead|manager|customer|` +
		`client|po|pm|cto|ceo|reviewer|reviewers|maintainer|maintainers|architect|author|designer|` +
		`designers|lawyer|lawyers|auditor|auditors|department)|[\pL.-]+(?: (?:and|or) [\pL.-]+)?|` +
		`<@[^>]*>)`
	person = `(` + aPerson + `)`
	vets   = `(?:approve|review|sign off|sign off on|sign this off|look|look at|look over|` +
		`look into|take a look|take a look at|have a look|have a look at|check|see|confirm|ok|okay|vet|` +
		`greenlight|agree|agree to|agree with|decide|decide on|weigh in|comment|comment on|test|read|` +
		`accept)`
	vetted = `(?:approved?|approves|reviewed|reviews|signed|signs|signed off|signs off|looked|` +
		`looks|had a look|checked|checks|seen|sees|saw|confirmed|confirms|agreed|agrees|okd|oks|` +
		`decided|decides|said|says|answered|replied|read|tested|given|gives|back|here|had time|knows)`
	theWork = `(?: (?:this|it|that|the (?:fix|change|changes|diff|push|report|plan|branch|pr|code|patch|approach)))`
	before  = `(?: (?:first|before|before that|beforehand|still|too|please|now|before .*|today|tomorrow))*`
	oks     = `(?:approval|ok|okay|sign.?off|go.?ahead|review|blessing|permission|consent|yes|lgtm|vote)`
)

var awaiting = []*lazyregexp.Regexp{
	// "dora has to approve this", "legal has to sign off first"
	lazyregexp.New(
		opensClause + person + ` (?:still |first )?(?:has to|have to|needs to|need to|must|should|` +
			`ought to|wants to|want to|would like to|will have to|is going to|has yet to|didnt yet|` +
			`hasnt|hasnt yet|havent|havent yet) (?:first |still |also )?` + vets + theWork + before +
			`$`,
	),
	lazyregexp.New(
		opensClause + person + ` (?:still |first )?(?:has to|have to|needs to|need to|must|should|` +
			`ought to|wants to|want to|would like to|will have to) (?:first )?(?:sign off|approve|` +
			`review|decide|have a look|take a look|weigh in|look)` + before + `$`,
	),
	lazyregexp.New(
		opensClause + person + ` (?:hasnt|has not|havent|have not|didnt|did not) (?:yet )?` + vetted +
			`(?: (?:at|on|to))?` + theWork + `?(?: yet)?$`,
	),
	// "needs dora's approval", "this still requires a review"
	lazyregexp.New(
		opensClause + `(?:this |that |it |the (?:fix|change|diff|push|report|plan|branch|pr) |we |i |` +
			`still |really |first )*(?:needs?|requires?|awaits?|lacks?|is missing) (?:` + person +
			`s? )?(?:\w+ )?` + oks + `(?: (?:first|still|from .*|by .*|before .*))?$`,
	),
	// "not before dora has seen it"
	lazyregexp.New(
		opensClause + `(?:(?:not|only|push it|wait|dont push|dont push it|hold it) )?(?:not before|` +
			`not until|not till|but not before|but not until) ` + person + ` (?:has |have |had |is |` +
			`was |gets |got )*` + vetted + `(?: .*)?$`,
	),
	lazyregexp.New(opensClause + `not (?:before|until|without) ` + person + `s? ` + oks + `$`),
	// "ask dora first", "check with legal before"
	lazyregexp.New(
		opensClause + `(?:(?:i|we) (?:need|have|want|ought)(?: to)? |(?:i|we) (?:must|should|will) |` +
			`(?:id|wed|ill|well) (?:like to |rather |prefer to )?)?(?:ask|check with|talk to|talk with|` +
			`speak to|speak with|consult|confirm with|confirm it with|clear it with|clear this with|` +
			`run it by|run this by|run that by|coordinate with|discuss it with|discuss this with|` +
			`agree it with|tell|notify|inform|ping|loop in|involve) ` + person + ` (?:first|before|` +
			`beforehand|before that|before you .*|before we .*|for (?:approval|permission|an ok|` +
			`a review|their ok))$`,
	),
	lazyregexp.New(
		`^(?:please |ok |but |no )*first (?:ask|check with|talk to|consult|confirm with|clear it with|` +
			`clear this with|run it by|run this by|discuss it with|discuss this with) ` + person + `$`,
	),
	// "I'd like dora to look at it first"
	lazyregexp.New(
		opensClause + `(?:i|we)(?:d| would)? (?:rather |really )?(?:like|want|need|prefer|love|have|` +
			`expect) ` + person + ` (?:to )?(?:first )?` + vets + theWork + before + `$`,
	),
	lazyregexp.New(
		opensClause + `(?:let|have|get) ` + person + ` (?:to )?` + vets + theWork + `?(?: (?:first|` +
			`before .*|beforehand))$`,
	),
	lazyregexp.New(
		opensClause + `let (?:me|us) (?:please |just |quickly )*(?:` + vets + `|discuss|think|talk|` +
			`ask around|ask)(?:` + theWork + `| about ` + `(?:this|it|that)| with \w+)? (?:first|` +
			`before .*)$`,
	),
	// "can we discuss first?", "can this wait until Monday?", "shouldn't we wait for QA?"
	lazyregexp.New(
		`^(?:please |ok |hm |hey |guys |sorry |but )*(?:can|could|should|shall|may|might|must|shouldnt|` +
			`couldnt|cant|lets) (?:we |i )?(?:please |not |maybe |perhaps |just )*(?:discuss|talk|` +
			`review|meet|think|speak|sync|vote|decide)(?: (?:this|it|that|about (?:this|it|that)|with ` + aPerson +
			`))? ?(?:first|before.*|beforehand|tomorrow|on monday)$`,
	),
	lazyregexp.New(
		`^(?:please |ok |hm |hey |guys |sorry |but )*(?:can|could|should|shouldnt|couldnt|cant|` +
			`shall) (?:this|that|we|the (?:fix|push|change)) (?:please |not |maybe |perhaps |just |` +
			`better )*wait(?: (?:for|until|till) .*| a (?:bit|day|while|moment|week)| first)?$`,
	),
	// "this needs to wait", "this can wait"
	lazyregexp.New(
		opensClause + `(?:this|that|the (?:fix|push|change|merge|work|rest)) (?:(?:can|could|needs to|` +
			`has to|must|should|ought to|will have to|had better|may|might have to) (?:also |well |` +
			`really )*wait)(?: (?:(?:until|till|a) .*|for [\pL.-]+))?$`,
	),
	lazyregexp.New(
		opensClause + `it (?:can|needs to|has to|must|should|will have to) wait(?: (?:until|` +
			`till) (?:tomorrow|tonight|later|monday|tuesday|wednesday|thursday|friday|next \w+|` +
			`after .*|(?:i|we|he|she|they)(?:m|re|ve|s)? .*))?$`,
	),
	lazyregexp.New(
		`^(?:please |ok |hm |hey |guys |but )*(?:should|shall) (?:we|you) (?:not |maybe |perhaps |` +
			`better |rather |really )*(?:wait|hold off|hold on|pause)(?: (?:for ` + aPerson + `|` +
			`until .*|till .*|a bit|first))?$`,
	),
	lazyregexp.New(
		opensClause + `(?:isnt it|wouldnt it be|is it not|its|it is|it would be|itd be) (?:better|` +
			`safer|wiser|smarter|best) (?:to|if we) (?:wait|waited|hold|held|stop|stopped|discuss|ask|` +
			`asked|review)(?: .*)?$`,
	),
	lazyregexp.New(
		`^(?:hm |hey |but )*(?:shouldnt|should) ` + person + ` (?:not )?(?:first )?` + vets + theWork +
			`(?: (?:first|before .*))$`,
	),
	// "dora said no", "bea is against it", "that's dora's call"
	lazyregexp.New(
		opensClause + person + ` (?:just )?(?:says|said|thinks|told (?:me|us)|wrote|writes) (?:no|nope|` +
			`wait|stop|dont|not yet|not now|to wait|to stop|to hold|to hold off|to hold on|` +
			`we should wait|not to push)$`,
	),
	lazyregexp.New(
		opensClause + person + ` (?:strongly )?(?:objects?|objected|disagrees?|disagreed|vetoed|vetoes|` +
			`is against (?:it|this|that)|has (?:objections|concerns|doubts)|(?:is not|isnt) (?:ok|okay|` +
			`happy|fine|convinced|comfortable)(?: with (?:it|this|that))?|(?:doesnt|does not|didnt|` +
			`did not) (?:agree|approve)(?: (?:it|this|that|to it|with it))?|wants to (?:wait|hold off|` +
			`stop))$`,
	),
	lazyregexp.New(
		opensClause + `(?:(?:thats|this is|its|that is|it is) ` + person + `s? (?:call|decision)|` +
			`(?:thats |this is |its )?not (?:my|our|your) (?:call|decision))(?: to make)?$`,
	),
	// "I'm reviewing this right now"
	lazyregexp.New(
		opensClause + `(?:im|i am|were|we are|hes|shes|theyre|he is|she is|they are) (?:still |` +
			`currently |just |busy |in the middle of )*(?:reviewing|vetting)` + theWork +
			`?(?: (?:right now|now|at the moment|still|today|as we speak))*$`,
	),
	lazyregexp.New(
		opensClause + `(?:i|we) (?:havent|have not) (?:yet )?(?:reviewed|looked at|seen|read|checked|` +
			`approved|agreed to|finished reviewing)` + theWork + `(?: yet)?$`,
	),
	// "I'd rather we waited"
	lazyregexp.New(
		`^(?:\w+ )?(?:id|i would|wed|we would|id much|i would much) (?:rather|prefer it if|prefer if|` +
			`like it if|like it better if) (?:we|you|it|this) (?:just |all )?(?:waited|wait|stopped|` +
			`stop|held|hold|paused|pause|left|leave|discussed|discuss|talked|talk|postponed|delayed|` +
			`reviewed|asked|checked|slept)(?: .*)?$`,
	),
	// "please nobody push this"
	lazyregexp.New(
		opensClause + `(?:nobody|noone|no one|no-one|none of you) (?:should |is to |please |must |` +
			`may )*(?:push|merge|ship|deploy|touch|release|fix|approve)` + theWork + `(?: .{0,20})?$`,
	),
	// "I'll revert that", "please revert bea's approval"
	lazyregexp.New(
		opensClause + `(?:i|we)(?:ll| will|d| would|m going to| am going to|re going to| have to|` +
			` need to| must| want to| may have to)? (?:(?:revert|undo|roll back|back out|take back|` +
			`reset)` + theWork + `|(?:roll|take) (?:this|that|it) back)(?: again)?(?: .{0,15})?$`,
	),
	lazyregexp.New(
		opensClause + `(?:revert|undo|withdraw|cancel|void|revoke|retract|disregard|ignore|take back|` +
			`forget|annul|reject) (?:` + aPerson + `s|the|his|her|their|my|that|this) ` + oks + `$`,
	),
	// "that was meant for cem"
	lazyregexp.New(
		opensClause + `(?:oops |sorry |whoops )?(?:that|this|it|my (?:message|comment|reply|approval|` +
			`answer)) (?:one |message |comment |approval |yes |reply )?was (?:meant|intended|` +
			`supposed to be|supposed to go) (?:for|to) .*$`,
	),
	// "strong no", "that's a no"
	lazyregexp.New(
		opensClause + `(?:(?:its|thats|that is|this is|it is|thatd be|that would be|im a|i am a|` +
			`still) )?(?:a )?(?:(?:strong|firm|clear|definite|solid|hard|big|flat|resounding|soft|` +
			`categorical|absolute|very) )*no(?: (?:from|for) (?:me|us|my side|our side|` + aPerson +
			`))?$`,
	),
}

// asksToWait matches the question forms among awaiting, in which the refusal is not in question.
var asksToWait = lazyregexp.New(
	`(?i)^(?:(?:please|ok|hm|hey|guys|sorry|but)[ ,]+)*(?:can|could|should|shall|may|might|must|cant|` +
		`can't|couldn't|couldnt|shouldn't|shouldnt|isn't|isnt|wouldn't|wouldnt|is it)\b`,
)
