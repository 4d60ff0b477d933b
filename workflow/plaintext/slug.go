package plaintext

import (
	"strings"
)

// Slug makes the readable part of a branch name from a title: whole words in lower case, at most 40
// characters. Only a first word longer than that is cut.
func Slug(title string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(title),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
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
