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
	// mixed matches letters and digits that a machine may have chosen, as the end of a pod's name.
	mixed = regexp.MustCompile(`^(?:[a-z]+\d|\d+[a-z])[a-z\d]{3,}$`)
	// runs matches letters alone, or digits alone.
	runs = regexp.MustCompile(`[a-z]+|\d+`)
	// wordless matches what Kubernetes makes names of: no vowels, and none of 0, 1 and 3
	// (https://github.com/kubernetes/apimachinery, util/rand).
	wordless = regexp.MustCompile(`^[bcdfghjklmnpqrstvwxz2456789]{5,10}$`)
	// naming matches words whose number is a part of the name: port 8080, exit code 137, shard 3.
	naming = regexp.MustCompile(`^(?:code|port|shard|error|exit|http|status|partition|node|replica|zone|` +
		`region)$`)
)

const stateWords = `triggered|acknowledged|firing|alerting|resolved|recovered|pending|no data|ok|new ` +
	`issue|regression`

// nameOf returns the name of a problem: a title without states, counters, measures, and what identifies one
// occurrence. It keeps numbers that are part of a name: db-2, p99, HTTP 500.
func nameOf(title string) string {
	title = identifiers.ReplaceAllString(states.ReplaceAllStringFunc(title, keepStatus), "#")
	var words []string
	before := ""
	for _, word := range strings.Fields(strings.ToLower(title)) {
		bare := strings.Trim(word, "()[]{}<>\"'`*_,;.!?:")
		switch {
		case isStatus(bare), naming.MatchString(before) && measure.MatchString(bare):
		case measure.MatchString(bare), strings.HasPrefix(bare, "#"):
			word = "#"
		default:
			parts := strings.Split(word, "-")
			for i, part := range parts {
				if isGenerated(part) {
					parts[i] = "#"
				}
			}
			word = strings.Join(parts, "-")
		}
		words = append(words, word)
		before = bare
	}
	return strings.Join(words, " ")
}

// isGenerated reports whether a machine chose a part of a name: web01prod is a name, q7w8e is none.
func isGenerated(part string) bool {
	return mixed.MatchString(part) && len(runs.FindAllString(part, -1)) > 3 ||
		wordless.MatchString(part) && strings.ContainsAny(part, "2456789")
}

// keepStatus returns a space in place of a state or a counter, and a status code of HTTP as it is.
func keepStatus(found string) string {
	if isStatus(strings.Trim(found, "[] ")) {
		return found
	}
	return " "
}

// isStatus reports whether a word is a status code of HTTP, which belongs to the name: HTTP 500 is another
// problem than HTTP 404. Other numbers are counts.
func isStatus(word string) bool {
	code, err := strconv.Atoi(word)
	return err == nil && http.StatusText(code) != ""
}
