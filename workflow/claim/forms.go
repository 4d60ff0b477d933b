package claim

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A form is a way to make a claim, in words of a sentence's skeleton.
type form struct {
	kind     Kind
	form     *regexp.Regexp // an empty group stands where the claim begins, if words lead to it
	person   bool           // the form ends with the word for who did it
	negative bool           // what is claimed is that something is not there, such as "no failures"
}

// fragments holds parts of forms by name. In a form a name stands in angle brackets.
var fragments = [][2]string{
	// beginnings and ends
	{"lead", `(?:^|[:;(] ?| - )(?:(?:all|so|now|ok|okay|great|yes|good|fine|and|also|finally|done|fixed|finished|tested|built|committed|merged|pushed|deployed|proven|verified)(?:[.,:!]|,? and)? )*()`},
	{"start", `(?:^|[:;(,] ?| - |\b(?:and|so|now|then|that|as|since|because|but) )()`},
	{"stop", `(?:[^a-z0-9]*$|[.,;:!)]| - | (?:now|again|too|already|also|today|by now|as well|at last|finally|everywhere|locally|here|end to end|as before|any ?more|any longer|yay|a (?:moment|minute|second|while) ago|this (?:morning|afternoon)|today|at noon|yesterday|on the \w+ (?:try|run|attempt))\b| (?:on|in) (?:ci|prod|production)\b)`},
	{"end", `(?:<stop>| (?:and|but|so)\b)`},
	{"adv", `(?: (?:now|also|already|just|successfully|all|still|again|finally|fully|both|safely|then|recently|indeed|really|completely|back))*`},
	{"be", `(?:'s|'re| is| are| was| were| has been| have been|'s been|'ve been| got| gets| stands)`},

	// numbers
	{"digits", `\d[\d,. ]*`},
	{"numeral", `(?:a dozen|half a dozen|a hundred|a thousand|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|dozens?|hundreds?|thousands?)`},
	{"figure", `(?:\d[\d,. ]*|<numeral>(?:(?: and |[ -])<numeral>)*)`},
	{"several", `(?:\d[\d,. ]*|(?:a dozen|half a dozen|a hundred|a thousand|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|one (?:hundred|thousand)|dozens|hundreds|thousands)(?:(?: and |[ -])<numeral>)*)`},
	{"number", `(?:<figure>|all|every|each|both|(?:the )?(?:whole|entire|full|complete))`},

	// what is tested, pushed, approved
	{"between", `(?: of)?(?: (?:the|our|my|its|new|unit|more|other|existing|of|regression|integration|passing|automated|additional|remaining|go|old|extra)| \d+){0,4}`},
	{"testing", ` ?(?:tests?|test cases?|test suites?|suites?|specs?|assertions|scenarios|testfalle|tests? unitaires?|pruebas?|testes|testy|testow)\b`},
	{"passing", `(?:pass(?:es|ed|ing)?\b|succeed(?:s|ed)?\b|(?:is|are|were|was|all|now|still|stay|stays|turn|turned|went|go|ran|run|come back|came back)<adv> green\b|green<stop>|are ok\b|run through\b)`},
	{"run", `(?:(?:the|our|my|whole|entire|full|complete|unit) )*(?:test suites?|suites?|ci|build|pipeline|checks|all checks|every check|test run|ci run|tests)`},
	{"thing", `(?:(?:the|my|our|this|that|its) )?(?:new |small )?(?:fix|fixes|hotfix|change|changes|work|branch|commits?|code|patch|pr|pull request|merge request|result|backport|release|rollout)(?: (?:it|#?[0-9a-f]*\d[0-9a-f]*|[\w.-]+/\S+))?`},
	{"it", `(?:it|this|that|they|these|everything|all)`},
	{"gone", `(?:pushed|merged|deployed|released|shipped|committed|landed|published|rolled out|force-pushed)`},
	{"self", `(?:i|we)(?: have|'ve|'d| had)?(?: (?:now|also|already|just|successfully))*`},
	{"where", `(?:(?:main|master|trunk|develop|origin|upstream|production|prod|staging|live|github|gitlab|gitea)\b|release\S*|bobbin/\S*|(?:the |a |its |my |our )?(?:new |remote |same |release |main |feature )*(?:branch|remote|repository|repo|server|pull request|merge request|host)\b)`},
	{"subject", `(?:(?:the|this|our|my) )?(?:revision|report|fix|change|plan|push|work|request|pull request|pr|merge|patch)(?: #?\d+)?`},
	{"object", `(?:revision(?: \d+)?|(?:the|this|my|our) (?:fix|change|changes|report|plan|push|revision|work|request|merge|pull request|pr|patch|diff|deployment|release|result)(?: #?\d+)?|pushing|merging)`},
	{"group", `(?:the (?:whole |entire |full )?(?:team|owners?|reviewers?|maintainers?|approvers?|lead|group)|(?:the|your|our) team lead|(?:both|all|all the|all our|our|your|two|three|four) (?:approvers|reviewers|maintainers|owners|members|leads|team)|(?:everyone|everybody)(?: (?:on|of|in) the team)?)`},
	{"who", `(?:<group>|@?[a-z][\w.-]*)`},
	{"yes", `(?:approval|go-?ahead|go ahead|permission|blessing|ok|okay|sign-?off|consent|lgtm|green light|thumbs up|go)`},
}

// replaceFragments replaces the names in a form by what they stand for.
var replaceFragments = sync.OnceValue(func() func(string) string {
	var pairs []string
	for _, f := range fragments {
		pairs = append(pairs, "<"+f[0]+">", f[1])
	}
	names := strings.NewReplacer(pairs...)
	return func(pattern string) string {
		for range 4 { // fragments hold others, three deep
			pattern = names.Replace(pattern)
		}
		return pattern
	}
})

// compile returns the forms of the patterns.
func compile(like form, patterns ...string) (list []form) {
	for _, p := range patterns {
		f := like
		f.form = regexp.MustCompile(replaceFragments()(p))
		list = append(list, f)
	}
	return list
}

// forms returns how claims are made. Each is a few words; words between that change nothing are allowed for.
var forms = sync.OnceValue(func() []form {
	return slices.Concat(testForms(), reviewForms(), pushForms(), approvalForms())
})
