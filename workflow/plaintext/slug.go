package plaintext

import (
	"strings"
)

// Slug makes a branch name's readable part out of a title: whole words in lower case, 40
// characters at most. Only a first word that is longer is cut.
func Slug(title string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "change"
	}
	slug := words[0][:min(len(words[0]), most)]
	for _, word := range words[1:] {
		if len(slug)+1+len(word) > most {
			break
		}
		slug += "-" + word
	}
	return slug
}
