package claim

// approvalForms returns how a text says that somebody approved, allowed a push, or took an objection back.
func approvalForms() []form {
	list := compile(form{kind: Approval},
		`<lead>approved(?:<end>| by\b| \()`,
		`\b<subject>(?:<be>)?<adv>:? (?:approved|signed off|ok'd|okayed|greenlit|lgtm'd)\b`,
		`\b(?:it|this|that|everything)<be><adv> (?:approved|signed off|ok'd|okayed|greenlit)\b`,
		`\b<group>(?: has| have)?<adv> (?:(?:\w+ed and )?(?:approved|approves?|signed|okayed|ok'd|allowed|accepted|permitted)(?: off)?(?: on)? (?:it|this|that|<object>)\b|(?:approved|approves?|signed off|agreed|said yes|okayed)<stop>)`,
		`\bwaved (?:(?:it|this|that|<object>) )?through\b`,
		`\brevision \d+ stands\b`,
		`\b(?:revision \d+|<thing>|you|we)(?: is| are|'re|'s) good to (?:merge|push|go|ship)\b`,
		`\bsigned (?:it|this|that|<object>) off\b`,
		`\b<group>(?: is| are)<adv> (?:fine|happy|ok|okay|good) with (?:it|this|that|<object>)`,
		`\b[a-z][\w.-]* is (?:fine|happy|ok|okay|good) with <object>`,

		// the approval as a thing
		`\b(?:his|her|their|your|team's|everybody's|everyone's)(?: full| explicit| final)? <yes>(?:<end>| (?:from|for|on|of)\b)`,
		`\b(?:gave|given|has|have|had|got|gets|received|obtained)(?: me| us| it| this| revision \d+)? (?:the|an|a|full|his|her|their|your)?(?: full| explicit| final)? ?<yes>(?:<end>| (?:from|for)\b)`,
		`\b<yes>(?: was| is| has been| got)?<adv> (?:granted|given|received|obtained|secured)<stop>`,
		`<start><yes>(?: to \w+| for \w+)?: (?:granted|given|received|yes)\b`,
		`'s <yes> is<adv> (?:in|there|here)<stop>`,
		`<start>(?:approval|approvals|approver|approvers|approved|permission|go-ahead)(?: by)? ?: ?@?[\w.-]+<stop>`,
		`\blgtm (?:from|by|of) @?[a-z]`,

		// the push
		`\b(?:the |this )?(?:push|pushing|merge|merging|deployment|pull request|revision \d+|commit)(?:<be>)?<adv> (?:allowed|permitted|authori[sz]ed|cleared)<end>`,
		`\b(?:i|we)(?:'m|'re| am| are)?<adv> (?:allowed|cleared|free|permitted|authori[sz]ed) to (?:push|merge|deploy|go on|proceed|go ahead)\b`,
		`\b(?:i|we) may (?:now )?(?:push|merge|deploy)\b|\brevision(?: \d+)? may (?:now )?be (?:pushed|merged)\b`,
		`\b(?:let|lets) (?:me|us) (?:push|merge|deploy)\b`,

		// objections
		`\b(?:took|taken) (?:back )?(?:the|her|his|their|all|[a-z][\w.-]*'s) objections?\b|\btook (?:it|that) back\b`,
		`\b(?:withdrew|withdrawn|dropped|lifted|retracted|resolved|overruled) (?:the|her|his|their|all) objections?\b`,
		`\bobjections?(?: of @?\w+)?(?: is| was| are| were| has been| have been| got)?<adv> (?:withdrawn|taken back|settled|void|no longer (?:valid|open|there)|answered|addressed|gone|resolved|overruled|lifted|dropped|retracted|off the table|cleared|no longer stands)\b`,

		// other languages
		`\b(?:freigegeben|genehmigt) (?:von|durch)\b|\bvon [a-z]\w* (?:freigegeben|genehmigt)\b|\bhat (?:es |das |die anderung |revision \d+ )?(?:freigegeben|genehmigt|zugestimmt)\b|\b(?:revision|push)(?: \d+)? ist (?:jetzt )?(?:freigegeben|genehmigt|erlaubt)\b`,
		`\b(?:approuvee?|validee?) par\b|\ba (?:approuve|donne son accord)\b|\best approuvee?\b`,
		`\baprobad[oa] por\b|\bha aprobado\b|\besta aprobad[oa]\b|<lead>aprobad[oa]<stop>`,
		`\baprovad[oa] por\b|\baprovou\b|\besta aprovad[oa]\b|\bapprovat[oa] da\b|\bha approvato\b`,
		`\bgoedgekeurd door\b|\bheeft (?:het )?goedgekeurd\b|\bis goedgekeurd\b|\bzatwierdzon\w+ przez\b|\bzatwierdzil\w*\b|\bjest zatwierdzon\w*\b`,
		`承認(?:しました|した|済み|されました)|(?:已|已经|已获|获得)(?:批准|审批|同意)|批准了|승인(?:했|됐|되었|완료)`,
	)
	list = append(list, compile(form{kind: Approval, person: true},
		`\b(?:approved|signed off|okayed) by @?[a-z][\w.-]*`,
		`(?:<lead>|\b(?:<subject>|it|this|that)(?:<be>)?<adv> )(?:allowed|authori[sz]ed|accepted|permitted|cleared) by @?[a-z][\w.-]*`,
		`\b<yes>(?: was| is| has been| got)?<adv> (?:granted|given|received|obtained) (?:by|from) @?[a-z][\w.-]*`,
		`\b(?:has|have|had|got|gets|with|under|given|received|obtained|after|per|on) @?[a-z][\w.-]*'s?(?: full| explicit| final)? <yes>(?:<end>| (?:for|on|of|to)\b)`,
		`<start><who>(?: has| have|'s|'ve)?<adv> (?:approved|approves|signed off|okayed|ok'd|lgtm'd)(?: on)?(?: (?:it|this|that|everything)\b| <object>|<stop>)`,
		`<start><who>(?: has| have|'s|'ve)?<adv> (?:allowed|permitted|cleared) (?:it|this|that)<stop>`,
		`<start><who>(?: has| have|'s|'ve)?<adv> (?:accepted|allowed|permitted|authori[sz]ed|cleared|agreed to) <object>`,
		`\b(?:have|has|had|got|with|under) (?:the|an?|full) <yes> (?:of|from|by) @?[a-z][\w.-]*`,
		`<start><who>(?: has| have)?<adv> agreed<stop>`,
		`<start><who>(?: has| have)?<adv> (?:says?|said|wrote) (?:yes|lgtm|ok|okay|go ahead|ship it|fix it|do it|push it|approved)<stop>`,
	)...)
	return append(list, compile(form{kind: Approval, negative: true},
		`\b(?:nobody|no one)(?: else)? (?:objects|objected|is against (?:it|this))<stop>`,
		`<start>(?:there (?:is|are) )?no(?: more| open)? objections?(?: left| remains?)?<stop>`,
		`\bno longer objects?\b`,
	)...)
}
