package claim

// reviewForms returns how a text says that somebody looked at the change, and what was found.
func reviewForms() []form {
	return append(compile(form{kind: Review},
		`<lead>reviewed(?: (?:it|this|everything))?(?:<end>| (?:together )?with\b)`,
		`\b<thing><be><adv> reviewed\b`,
		`\b(?:it|this|everything)<be><adv> reviewed<end>`,
		`\b(?:the |code |peer )*review(?: has)?(?: found| finds| had| came back| is| was| went| turned up|:)?<adv> (?:nothing|no findings|clean|passed|ok|done|complete|completed|finished|without findings)(?:<stop>| found\b)`,
		`\bpassed (?:the |a |our )?(?:code |peer )?review\b`,
		`\b(?:the )?critic (?:found nothing|is happy|is fine|(?:has|had|raised|made) no|approved|agrees|is satisfied)\b`,
		`\b(?:gepruft|begutachtet|reviewt) von\b|\brelue? par\b|\brevisad[oa] por\b|\brevist[oa] por\b|\brevisionat[oa] da\b|\b(?:beoordeeld|nagekeken) door\b|\bsprawdzon\w+ przez\b`,
		`レビュ.(?:済み|しました|完了)|已(?:审查|审核|评审)|리뷰 ?(?:완료|했|됐)`,
	), compile(form{kind: Review, person: true},
		`\breviewed by @?[a-z][\w.-]*`,
		`<start><who>(?: has| have)?<adv> reviewed(?: (?:it|this|that)| <object>)\b`,
	)...)
}
