package intent

import (
	"github.com/bobbinhq/bobbin/workflow/intent/phrases"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// objectsToWork reports whether a clause says to stop or to hold the work and names it: "stop the refund
// fix", "wait with the refund". At most four words stand between the verb and the noun. What the product should do
// ("it should stop the refund job at zero") is no objection.
func objectsToWork(clause string) bool {
	return workObjection.MatchString(phrases.Fold(clause))
}

const (
	courteous = `^(?:(?:please|pls|plz|ok|okay|no|hey|guys|folks|sorry|just|now|can you|could you|lets|` +
		`we should|we need to|you should|i want you to|id like you to|bobbin|bot|bitte|por favor|` +
		`per favore|proszę|svp|merci de) )*`
	// upTo4 are the words between the verb and the noun, no one of which joins another clause.
	upTo4  = `(?:[^ ]+ ){0,4}?`
	ofWork = `(?:fix|fixes|bugfix|hotfix|patch|pr|pull request|branch|push|merge)(?: (?:of|for|` +
		`in) (?:the )?(?:[^ ]+ ?){1,3})?`
	tailOfWork = `(?: (?:please|pls|now|right now|for now|for today|today|for a moment|(?:until|` +
		`till) .*|immediately|at once|here|thanks|then|first|bitte|erstmal|kurz|noch|an|auf|ab|` +
		`maintenant|ahora|adesso|nu|teraz))*$`
)

var workObjection = lazyregexp.New(courteous + `(?:` +
	`(?:stop|halt|cancel|abort|pause|hold|hold off|hold off on|hold back|freeze|postpone|park|suspend|` +
	`shelve|defer|delay|block|kill|scrap|drop|call off|wait with|wait on) (?:with )?(?:the|this|that|` +
	`your|our) ` + upTo4 + ofWork + tailOfWork + `|` +
	`(?:hold|hold off on|postpone|freeze|park|shelve|suspend|defer|pause|delay) (?:the|this|that|your|` +
	`our) ` + upTo4 + `changes?` + tailOfWork + `|` +
	`(?:stop|halt|pause|quit|cease) (?:the )?work(?:ing)? (?:on|with|at) (?:the|this|that|our|` +
	`my) (?:[^ ]+ ?){1,4}` + tailOfWork + `|` +
	`(?:wait|hold off) (?:with|on) (?:the|this|that|your|our) (?:[^ ]+ ?){1,3}` + tailOfWork + `|` +
	`(?:stopp?|stoppe|halte?|verschiebe?|brich|breche|beende) (?:den|die|das|diesen|diese|dieses) ` + upTo4 +
	`(?:[^ ]*-?fix|[^ ]*korrektur|[^ ]*reparatur|patch|branch|anderung)` + tailOfWork + `|` +
	`(?:warte|wartet|wart) (?:bitte |noch )*mit (?:dem|der|den) (?:[^ ]+ ?){1,4}` + tailOfWork + `|` +
	`(?:arretez?|arrete|stoppez?|suspend[sz]?|annulez?) (?:le|la|les|ce|cette) ` + upTo4 + `(?:fix|` +
	`correctif|correction|patch|branche)(?: (?:de|du|des) [^ ]+)?` + tailOfWork + `|` +
	`(?:para|paren|deten|detén|cancela|pausa) (?:el|la|los|este|esta) ` + upTo4 + `(?:fix|arreglo|` +
	`correccion|parche|rama)(?: (?:de|del) [^ ]+)?` + tailOfWork + `|` +
	`(?:pare|parem|cancele?|pause) (?:o|a|os|esse|essa|este) ` + upTo4 + `(?:fix|correcao|conserto|` +
	`patch)(?: (?:de|do|da) [^ ]+)?` + tailOfWork + `|` +
	`(?:ferma|fermate|sospendi|annulla|blocca) (?:il|la|lo|questo|questa) ` + upTo4 + `(?:fix|` +
	`correzione|patch)(?: (?:di|del|della) [^ ]+)?` + tailOfWork + `|` +
	`(?:stop|wacht|annuleer|pauzeer) (?:met )?(?:de|het|deze|dit) ` + upTo4 + `(?:fix|[^ ]*fix|` +
	`reparatie|patch|wijziging)` + tailOfWork + `|` +
	`(?:zatrzymaj|wstrzymaj|anuluj) (?:te |ta )?` + upTo4 + `(?:fix|poprawke|naprawe|patch|` +
	`zmiane)(?: [^ ]+)?` + tailOfWork +
	`)`)
