package claim

// pushForms returns how a text says that the work is pushed, merged, deployed, or in a pull request.
func pushForms() []form {
	return compile(form{kind: Push},
		`\b<self> <gone>\b(?: (?:it|this|that|them|everything|the (?:fix|change|changes|branch|commit|work|code|result|pull request|merge request)|to|on|at|as|a)\b|<stop>)`,
		`\b<self> (?:\w+ed and )?<gone> (?:the work|everything|it all)\b`,
		`\b(?:<thing>|it|this) (?:now (?:runs|works)|is now running) in (?:production|prod)\b`,
		`\b<thing><be><adv> (?:\w+ed and )?<gone>\b`,
		`\b<thing><adv> <gone>(?:<end>| (?:to|on|at|as|in|into|with|by)\b)`,
		`\b(?:<it><be>?|has been|have been)<adv> <gone><end>`,
		`<lead>(?:got|ist|wurde|is|was|has been|have been)<adv> (?:<gone>|gepusht|gemergt)(?:<end>| (?:to|into|on) <where>)`,
		`\b<thing>(?: has| was| is)?<adv> (?:sent|uploaded|made it) to <where>`,
		`\b<gone>(?: \S+){0,3} (?:to|on|onto|into|at|as|in) <where>`,
		`\brolled out to (?:all|every\w*|our|the (?:customers|users))\b`,
		`<lead>(?:force-)?(?:pushed|deployed)(?:<stop>| (?:it|to|as|at|everything|all|bobbin\S*|the (?:fix|change|branch|work|result)|and (?:merged|deployed|live|done|verified|green))\b)`,
		`<lead>(?:merged|committed|shipped|released|rolled out|landed)(?:<stop>| (?:it|to main|into main|to master|to prod\w*|to (?:all|our|the)? ?(?:customers|users|everybody)|as|at|and (?:pushed|deployed|live|done|released))\b)`,
		`\b(?:fixed|done|finished) and (?:pushed|merged|deployed|shipped)\b`,
		`<lead>(?:now |already )?(?:live|in production|on main|on master|in prod)<stop>`,

		// pull requests
		`\b(?:opened|created|raised|filed|submitted|put up) (?:a|an|the|another)? ?(?:new |draft )*(?:pull request|merge request|pr|mr)\b`,
		`\b(?:pull request|merge request|pr)(?: (?:with|for)(?: \w+){1,3})?(?: #?\d+)?(?: is|'s| has been| was| got)?<adv> (?:open|up|opened|created|filed|submitted|ready|merged|out|waiting)(?:<end>| for (?:it|this|you|review|grabs|the (?:fix|change))\b)`,
		`<start>(?:pull request|merge request|pr)(?: opened| is)? ?: ?(?:#?\d|http|it\b)`,

		// where it is now
		`\b(?:<thing>|it|this|we)(?:'s|'re| is| are| was)?<adv> (?:live|(?:running )?(?:in|on) (?:production|prod)|in the wild)<stop>`,
		`\b(?:<thing>|it|this|we) (?:went|goes|has gone|have gone|gone)<adv> (?:live|out|through)(?:<end>| (?:to|on) <where>)`,
		`\b<thing>(?: is|'s| are)<adv> (?:out|up|on <where>|on the remote|part of <where>)(?:<end>| since\b)`,
		`\b(?:contains|has|with|holds) the (?:fix|change) and is (?:out|live)\b`,
		`\b(?:it|this|that)(?: is|'s)<adv> on (?:main|master|trunk) (?:now|already)\b`,
		`\b(?:it|this|that)(?: is|'s)<adv> on (?:origin|github|gitlab|the remote|the branch)<stop>`,
		`\b(?:commit|fix|change) (?:is )?(?:already )?on the (?:remote|branch|remote branch)<stop>`,
		`\b<thing>(?: has| have)?<adv> (?:landed|shipped|deployed)<stop>`,
		`\b(?:deployment|deploy|push|merge|rollout) (?:went through|succeeded|is done|is complete|is finished|was successful|finished|completed|worked)<stop>`,
		`<start>(?:status|state|result|branch|fix|change) ?: ?(?:now )?(?:pushed|merged|deployed|live|shipped|released)<stop>`,
		`\bthe remote has (?:my|our|the) (?:commit|branch|fix|change)\b`,
		`<start>(?:push|deploy|deployment|merge|rollout)(?: to <where>)? ?:? ?(?:ok|successful|done|complete|completed|yes|pushed|merged|live)<stop>`,

		// other languages
		`\b(?:gepusht|gemergt|gemerged|deployt|deployed worden|ausgerollt|pousse sur|fusionne (?:dans|sur)|deploye (?:en|sur)|subido a (?:main|la rama)|fusionado (?:en|con)|desplegado (?:en|a)|enviado para (?:main|a branch)|wypchniet\w+ (?:na|do))\b`,
		`\b(?:fix|anderung|es|das|korrektur|branch) ist (?:jetzt |schon )?(?:live|auf main|in produktion|online)\b|\bpull request (?:ist|steht) (?:jetzt )?offen\b`,
		`(?:\bc'est|\best|\bdeja) (?:maintenant |deja )?(?:en ligne|en production|merge|pousse|fusionne|deploye)\b|\bpull request est ouverte\b`,
		`\b(?:esta|ya) (?:ya )?(?:en produccion|fusionad[oa]|en main|desplegad[oa]|subid[oa])\b|\bpull request esta (?:abiert[oa]|abert[oa])\b`,
		`\b(?:esta|ja) (?:ja )?(?:em producao|no ar|mesclad[oa]|na main)\b|\bmesclad[oa] (?:na|no|em)\b`,
		`\b(?:e|gia|ora) (?:gia |ora )?in produzione\b|\bunit[oa] a main\b|\binviat[oa] (?:a|su) main\b|\bpull request e apert[oa]\b`,
		`\bstaat (?:nu )?live\b|\bpull request (?:staat|is) open\b|\bscalon[eoay] (?:do|z)\b|\bwdrozon[eoay] na\b`,
		`(?:プッシュ|マ.ジ|デプロイ|リリ.ス)(?:しました|した|済み|されました|完了)|プルリクエストを(?:作成|オ.プン)`,
		`(?:已|已经)(?:推送|合并|合入|部署|发布|上线)|(?:推送|合并|部署)(?:完成|成功)|(?:拉取请求|pr) ?已(?:创建|打开|提交)`,
		`(?:푸시|머지|병합|배포)(?:했|됐|되었|완료)|풀 ?리퀘스트를 ?(?:열었|생성했|만들었)`,
	)
}
