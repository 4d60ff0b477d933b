package alert

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

var (
	// states matches the states and counters that a title has beside the name of the problem. Brackets with
	// anything else, such as "[payments]", belong to the name.
	states = regexp.MustCompile(`(?i)\[(?:[\s,:;/#x×*-]|\d+|\b(?:` + stateWords + `)\b)*\]|\b(?:` +
		stateWords + `)\b:?`)
	// identifiers matches what is different for each occurrence: UUIDs, addresses, hashes, dates.
	identifiers = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b0x[0-9a-f]+\b|` +
		`\b[0-9a-f]{12,}\b|\b\d{4}-\d\d-\d\d(?:[t ][\d:.]+z?)?\b`)
	// measure matches a number with or without its unit.
	measure = regexp.MustCompile(`^[<>=~+-]*\d[\d.,:/]*(?:%|[kmg]?i?b|[nuµm]?s|m|min|h|d|x)?$`)
	// generated matches the part of a name that a machine chose, as of a pod.
	generated = regexp.MustCompile(`^(?:[a-z]+\d|\d+[a-z])[a-z\d]{3,}$`)
)

const stateWords = `triggered|acknowledged|firing|alerting|resolved|recovered|pending|no data|ok|new ` +
	`issue|regression`

// nameOf returns the name of a problem: a title without states, counters, measures, and what identifies one
// occurrence. It keeps numbers that are part of a name: db-2, p99, HTTP 500.
func nameOf(title string) string {
	title = identifiers.ReplaceAllString(states.ReplaceAllString(title, " "), "#")
	var words []string
	for _, word := range strings.Fields(strings.ToLower(title)) {
		bare := strings.Trim(word, "()[]{}<>\"'`*_,;.!?:")
		switch {
		case isStatus(bare):
		case measure.MatchString(bare), strings.HasPrefix(bare, "#"):
			word = "#"
		default:
			parts := strings.Split(word, "-")
			for i, part := range parts {
				if generated.MatchString(part) {
					parts[i] = "#"
				}
			}
			word = strings.Join(parts, "-")
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// isStatus reports whether a word is a status code of HTTP, which belongs to the name: HTTP 500 is another
// problem than HTTP 404. Other numbers are counts.
func isStatus(word string) bool {
	code, err := strconv.Atoi(word)
	return err == nil && http.StatusText(code) != ""
}
