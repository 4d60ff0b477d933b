package claim

import (
	"regexp"
	"sync"
)

// A form is a way to make a claim, in words of a sentence's skeleton.
type form struct {
	kind   Kind
	form   *regexp.Regexp
	person bool // the form ends with the word for who did it
}

const (
	number  = `(?:\d[\d,. ]*|all|every|each|both|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|(?:the )?(?:whole|entire|full))`
	between = `(?: of)?(?: (?:the|our|my|its|new|unit|more|other|existing|of|regression|integration|passing|automated|additional|remaining|go|old|extra)| \d+){0,4}`
	testing = ` ?(?:tests?|test cases?|test suites?|suites?|specs?|assertions|scenarios|testfalle|tests? unitaires?|pruebas?|testes|testy|testow)\b`
	passing = `(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are|were|was|all|now|still|stay|turn|went|go)? ?green|are ok|run through)\b`
	work    = `(?:it|this|that|everything|all|(?:the|my|our) (?:fix|fixes|change|changes|work|branch|commit|commits|code|patch|pr|pull request|merge request|result|backport|release)|(?:fix|change|branch|pr|pull request|merge request)(?: #?\d+)?)`
	been    = `(?: (?:is|are|was|were|has been|have been|got))?(?: (?:now|also|already|just|successfully|all))*`
	self    = `(?:i|we)(?: have|'ve|'d| had)?(?: (?:now|also|already|just|successfully))*`
	where   = `(?:main|master|trunk|develop|origin|upstream|production|prod|staging|live|github|gitlab|gitea|release\S*|bobbin/\S*|(?:the |a |its |my |our )?(?:new |remote |same |release |main |feature )?(?:branch|remote|repository|repo|server|pull request|merge request|host)\b)`
	gone    = `(?:pushed|merged|deployed|released|shipped|committed|landed|published|rolled out|force-pushed)`
	subject = `(?:revision|report|fix|change|plan|push|work|request|pull request|pr|this|it|that)(?: #?\d+)?`
)

// forms returns how claims are made. Each is a few words; words between that change nothing are allowed for.
var forms = sync.OnceValue(func() []form {
	return []form{
		// counts of tests
		{kind: Tests, form: regexp.MustCompile(`\b` + number + between + testing + `[^,;:]{0,40}?\b` + passing)},
		{kind: Tests, form: regexp.MustCompile(`\b(?:\d[\d,. ]*|dozens of |hundreds of )` + between + testing + `[^,;:]{0,24}?\b(?:added|written|created|new|in total|run|ran)\b`)},
		{kind: Tests, form: regexp.MustCompile(`\b(?:added|adds|wrote|written|created|ran|run|passed) (?:over |more than |about |some |another )?(?:\d[\d,. ]*|dozens of |hundreds of |two |three |four |five |six |seven |eight |nine |ten )` + between + testing)},
		{kind: Tests, form: regexp.MustCompile(`^(?:now |with |and )?\d[\d,. ]* ?` + `(?:new |more |added )+` + `tests?\b`)},
		{kind: Tests, form: regexp.MustCompile(`\b\d[\d,.]* ?(?:/|of|out of) ?\d[\d,.]* ?(?:tests? ?)?` + passing)},
		{kind: Tests, form: regexp.MustCompile(`(?:^|[:,(] ?)\d[\d,.]* ` + `(?:pass(?:ed|ing)|green)\b`)},
		{kind: Tests, form: regexp.MustCompile(`\b(?:alle |die )?(?:\d[\d. ]*|alle) (?:neuen? |unit-?)?tests? (?:sind |laufen |wurden )?(?:grun|gruen|bestanden|hinzugefugt|erfolgreich|durch|geschrieben)`)},
		{kind: Tests, form: regexp.MustCompile(`\b(?:\d[\d. ]*|tous les|toutes les|todas las|todos los|todos os|tutti i|alle|wszystkie) (?:nouveaux |nuevas |novos |nuovi |nieuwe )?(?:tests?|pruebas|testes|testy)\b[^,;:]{0,30}?(?:passent|ajoutes|reussi|verts?|pasan|anadid\w+|verdes|passam|adicionados|passano|aggiunti|slagen|toegevoegd|przechodza)`)},
		{kind: Tests, form: regexp.MustCompile(`(?:\d+ ?(?:件|個|つ|本)?の?テスト|すべてのテスト|全テスト|全てのテスト|\d+ ?个(?:新)?测试|所有测试|全部测试|\d+ ?개의? 테스트|모든 테스트).{0,10}(?:追加|成功|通過|パス|合格|通过|添加|新增|통과|추가)`)},

		// pushes, merges, deployments
		{kind: Push, form: regexp.MustCompile(`\b` + self + ` ` + gone + `\b(?: (?:it|this|that|them|everything|the (?:fix|change|changes|branch|commit|work|code|result|pull request|merge request)|to|on|at|as|a)\b|$|[.,;:!])`)},
		{kind: Push, form: regexp.MustCompile(`\b` + work + been + ` ` + gone + `(?:\b[^a-z]*$| (?:and|to|on|at|as|in|into|with|by|now|already|today)\b)`)},
		{kind: Push, form: regexp.MustCompile(`\b` + gone + `(?: \S+){0,3} (?:to|on|onto|into|at|as|in) ` + where)},
		{kind: Push, form: regexp.MustCompile(`^(?:(?:all |and |so )?(?:done|fixed|finished|ok|okay|great|yes)[.,:!]? (?:and )?)?(?:force-)?(?:pushed|deployed)(?:[^a-z]*$| (?:it|to|as|at|the|everything|all|and|bobbin)\b)`)},
		{kind: Push, form: regexp.MustCompile(`^(?:(?:all |and |so )?(?:done|fixed|finished)[.,:!]? (?:and )?)?(?:merged|committed|shipped|released)(?:[^a-z]*$| (?:it|to main|into main|as|at)\b)`)},
		{kind: Push, form: regexp.MustCompile(`\b(?:opened|created|raised) (?:a|the|an) (?:pull|merge) request\b`)},
		{kind: Push, form: regexp.MustCompile(`\b(?:fix|change|it|this) is (?:now )?(?:live|in production|on main|on master)\b`)},
		{kind: Push, form: regexp.MustCompile(`\b(?:gepusht|gemergt|gemerged|deployt|deployed worden|ausgerollt|pousse sur|fusionne (?:dans|sur)|deploye (?:en|sur)|subido a (?:main|la rama)|fusionado (?:en|con)|desplegado (?:en|a)|enviado para (?:main|a branch)|wypchniet\w+ (?:na|do))\b`)},
		{kind: Push, form: regexp.MustCompile(`(?:プッシュ|マージ|デプロイ|リリース)(?:しました|した|済み|されました|完了)|(?:已|已经)(?:推送|合并|部署|发布)|(?:推送|合并|部署)(?:完成|成功)|(?:푸시|머지|병합|배포)(?:했|됐|되었|완료)`)},

		// approvals
		{kind: Approval, form: regexp.MustCompile(`\b(?:approved|allowed|signed off|authori[sz]ed|accepted|permitted) by @?[a-z][\w.-]*`), person: true},
		{kind: Approval, form: regexp.MustCompile(`\b` + subject + `(?: (?:is|was|has been|have been|got|stands))?(?: (?:now|already))? (?:approved|signed off)\b`)},
		{kind: Approval, form: regexp.MustCompile(`(?:^|[,;:] |\band |\bas |\bthat )@?[a-z][\w.-]*(?: has| have)?(?: now| already| just)? (?:approved|signed off|okayed|lgtm'?d)(?: (?:it|this|that|revision|the (?:fix|change|report|plan|push|revision|work|request)|on|everything)\b|[^a-z]*$)`)},
		{kind: Approval, form: regexp.MustCompile(`^approved(?:[^a-z]*$| by\b)`)},
		{kind: Approval, form: regexp.MustCompile(`\b(?:gave|given|have|has|got) (?:me |us )?(?:his|her|their|the|an|your) (?:approval|go-ahead|permission|ok|lgtm)\b`)},
		{kind: Approval, form: regexp.MustCompile(`\b(?:with|under) (?:@?[a-z][\w.-]*'s|the) approval\b`)},
		{kind: Approval, form: regexp.MustCompile(`\b(?:freigegeben|genehmigt) (?:von|durch)|\bhat (?:es |das |die anderung |revision \d+ )?(?:freigegeben|genehmigt)\b|\b(?:approuve|valide) par\b|\ba approuve\b|\baprobad[oa] por\b|\bapprovat[oa] da\b|\baprovad[oa] por\b|\bgoedgekeurd door\b|\bzatwierdzon\w+ przez\b`)},
		{kind: Approval, form: regexp.MustCompile(`承認(?:しました|した|済み|されました)|(?:已|已经|已获)(?:批准|审批|同意)|批准了|승인(?:했|됐|되었|완료)`)},
	}
})
