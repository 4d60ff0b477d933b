package intent

import (
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// wanting matches a word of asking.
var wanting = lazyregexp.New(`\b(?:please|pls|add|adds|append|build|make|create|generate|implement|` +
	`introduce|support|provide|allow|enable|disable|let|show|print|display|log|write|send|export|import|` +
	`store|cache|change|convert|rename|remove|delete|drop|replace|switch|move|split|merge|use|extend|` +
	`improve|update|upgrade|refactor|simplify|document|test|validate|check|handle|fix|mend|repair|correct|` +
	`do|give|put|set|turn|wrap|keep|should|shall|must|has to|have to|ought|needs?|needed|wants?|wanted|` +
	`wish|would like|i'd like|we'd like|would be (?:nice|good|great|useful|helpful)|could you|can you|` +
	`could we|can we|missing|lacks?|feature|request|instead)\b`)

// Vague reports whether a request for a feature says next to nothing: one line of fewer than eight words
// without a path, a number, a quotation, or a word that sets a condition or an aim.
func Vague(text string) bool {
	s := wishing.ReplaceAllString(words.Courteous(words.Straighten(text)), "")
	if utf8.RuneCountInString(text) > words.MaxLength || strings.Contains(s, "\n") ||
		detailed.MatchString(s) {
		return false
	}
	return words.HasWord(s) && len(strings.Fields(s)) < 8
}

// detailed matches what makes a short request specific, wishing what people put around a wish.
var (
	detailed = lazyregexp.New("(?i)[\\d\"`/_#]|\\w\\.\\w|(?:^|\\s)'[^']+'|\\b(?:when|so that|must|should|" +
		"if|because|only|using|with|unless|where|instead|like)\\b")
	wishing = lazyregexp.New(`(?i)^(?:(?:hey|hi|hello|please|can|could|would|will|you|we|i|i'd|we'd|would|` +
		`like|want|need|have|get|to|it be possible|team)[,!]? )+`)
)
