package claim

import "strings"

// Unguarded reports whether a sentence has the form of a claim, whatever denies it.
func Unguarded(sentence string) bool {
	for _, s := range sentences(sentence) {
		for _, words := range readings(strings.TrimSpace(s)) {
			for _, f := range forms() {
				if f.form.MatchString(words) {
					return true
				}
			}
		}
	}
	return false
}
