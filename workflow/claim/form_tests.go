package claim

// testForms returns how a text says how many tests there are, or that they pass.
func testForms() []form {
	return append(compile(form{kind: Tests},
		// numbers of tests
		`\b<number><between><testing>[^,;:]{0,40}?\b<passing>`,
		`\b<digits><between><testing>[^,;:]{0,24}?\b(?:added|written|created|new|in total|run|ran)\b`,
		`\b<several><between><testing>[^,;:]{0,24}?\b(?:added|written|created|in total)\b`,
		`\b(?:added|adds|wrote|written|created|ran|run|passed) (?:over |more than |about |some |another )?<several><between><testing>`,
		`^(?:now |with |and )?<digits>(?:new |more |added )+tests?\b`,
		`<lead>(?:with )?<several> ?(?:new |more |extra |additional )+tests?<stop>`,
		`\bwith <several> ?(?:new |more |extra |additional )+tests?\b`,
		`\b\d[\d,.]* ?(?:/|of|out of) ?\d[\d,.]* ?(?:tests? ?)?<passing>`,
		`(?:^|[:,(] ?)\d[\d,.]* (?:pass(?:ed|ing)|green)\b`,
		`\ball(?: of)?(?: the| its| our)? <figure>(?: ?(?:checks?|specs?|cases|of them))? ?(?:pass|passed|are green|came back green|succeeded|succeed)\b`,
		`\b\d+ ?% (?:of )?(?:(?:the|all|our) )*(?:tests )?(?:pass(?:ed|ing)?|green)\b`,
		`\bevery (?:single )?one of (?:them|these|the tests) (?:pass(?:es|ing)|is green|green)`,

		// all of them, without a number
		`\b(?:(?:the|our|my|your|its|all|these|existing|old|new|unit|go|of) )*tests<adv> (?:pass|passed|succeed|succeeded|went through|ran through|run through|came back green|(?:are|were)<adv> (?:passing|green|successful)|have<adv> passed|continue to pass|run green|(?:went|turned|came back|stayed) green|all (?:pass|passed|green))(?: \w+ly| without (?:\w+ )?(?:problems?|errors?|failures?))?<end>`,
		`\b(?:every|all|\d+)(?: of)?(?: the)? checks?\b[^,;:]{0,40}?\b<passing>`,
		`<lead>(?:go|npm|yarn|pnpm|cargo|make|mvn|gradle|dotnet) test\S*(?: \S+){0,2} (?:passes|passed|is green)<end>`,
		`\b<run>(?: is| are| was| were| runs?| ran| stays?| stayed| remains?| comes?| came| went| goes| turned| turns)?<adv> (?:green|passing|clean|happy|ok)<end>`,
		`\b(?:<run>|everything)<adv>(?: has| have)? (?:reports? success|pass|passes|passed|succeeds|succeeded|goes through|went through|runs clean|checks out|checked out)(?: \w+ly)?(?:<end>| for all\b)`,
		`\b(?:everything|all|all of it|it all)(?:'s| is| are| was)?<adv> (?:green|passing)<end>`,
		`<start>(?:build and tests|tests and build|tests?|unit tests|test results?|test suite|suite|ci|build|lint|checks|pipeline)(?: results?| status)? ?(?:[:=]|-)? ?(?:both |all )?(?:ok|fine|green|pass(?:ed|ing)?|clean)<stop>`,
		`<start>(?:tests?|unit tests|test suite|suite|ci|build|lint|checks|pipeline) ?:? ?[✅✓✔☑👍]`,

		// that it is right
		`<lead>(?:verified|proven|fully tested|tested and verified)<end>`,
		`\b<thing><be><adv> (?:verified|proven) (?:by|with|in)\b`,
		`\b(?:<thing>|it|this|everything)<be><adv> (?:verified|proven|fully tested)<stop>`,
		`\b<thing> (?:verified|proven)(?:<stop>| by (?:running|the tests|all tests)\b)`,
		`\b<self> (?:verified|proved|proven) (?:it|this|everything|all of it|the (?:fix|change|work)|that (?:it|this|everything|the fix|the change) works)\b`,
		`\b(?:the |our )?proof (?:holds|stands|is complete|is done|passed|succeeded)\b`,

		// other languages
		`\b(?:alle |die )?(?:\d[\d. ]*|alle|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|zwolf|\w*zig|\w*hundert) (?:neuen? |unit-?)?tests? (?:sind |laufen |wurden )?(?:grun|gruen|bestanden|hinzugefugt|erfolgreich|durch|geschrieben)`,
		`\btests (?:laufen(?: alle| jetzt| wieder)* durch|sind(?: alle| jetzt| wieder)* grun|bestehen<stop>)`,
		`\b(?:alles|ci|build|suite|pipeline)(?: ist)?(?: jetzt| wieder)* grun\b`,
		`<lead>(?:verifiziert|verifie|verificad[oa]|verificat[oa]|geverifieerd|zweryfikowan\w)<stop>`,
		`\b(?:\d[\d. ]*|tous les|toutes les|todas las|todos los|todos os|tutti i|alle|wszystkie|les|nos|las|los|os|i|de)(?: nouveaux| nuevas| novos| nuovi| nieuwe)? ?(?:tests?|pruebas|testes|testy)\b[^,;:]{0,30}?\b(?:passent|ajoutes|reussi\w*|verts?|pasan|pasaron|en verde|anadid\w+|verdes|passam|passaram|adicionados|passano|verdi|aggiunti|slagen|groen|toegevoegd|przechodza|zielone)\b`,
		`\btesty (?:przechodza|przeszly|sa zielone)\b`,
		`\b(?:la |il |le |el )?(?:ci|tout|todo|tudo|tutto|alles)(?: est| esta| e| is)?(?: en)? (?:verte?|verde|groen)\b`,
		`(?:\d+ ?(?:件|個|つ|本)?の?テスト|すべてのテスト|全テスト|全てのテスト|\d+ ?个(?:新)?测试|所有测试|全部测试|\d+ ?개의? 테스트|모든 테스트).{0,10}(?:追加|成功|通過|パス|合格|通过|添加|新增|통과|추가)`,
		`テスト(?:は|が|に)?(?:すべて|全て|全部|全件)?(?:に)?(?:成功|通過|パス|合格|通り)(?:しました|した|ました|済み)|ci(?:は|が)(?:緑|グリ.ン|通り)`,
		`测试(?:都|已|已经|全部|均)*通过|ci ?(?:已|已经)?通过|테스트(?:가|는)? ?(?:모두 |전부 )?(?:통과|성공)(?:했|됐|되었)|ci(?:가|는) ?통과`,
	), compile(form{kind: Tests, negative: true},
		`\b(?:no|zero|0|without (?:a single|any)) (?:tests? )?(?:failures?|fails?|failed|failing)<end>`,
		`<start>failures? ?: ?(?:none|zero|0)<stop>`,
		`\bnone(?: of (?:them|the tests))? (?:fail|fails|failed|is red|are red)<stop>`,
		`\bnothing (?:fails|breaks|broke|is red)<end>`,
	)...)
}
