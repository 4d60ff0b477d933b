package alert

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var (
	// states matches the states and counters that a title has beside the name of the problem. Brackets with
	// anything else, such as "[payments]", belong to the name.
	states = regexp.MustCompile(`(?i)\[(?:[\s,:;/#x×*-]|\d+|\b(?:` + stateWords + `)\b)*\]|\b(?:` +
		stateWords + `)\b:?`)
	// identifiers matches what is different for each occurrence: UUIDs, addresses, hashes, dates.
	identifiers = regexp.MustCompile(`(?i)<!date\^[^<>]*>|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|` +
		`\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b|` +
		`\b\d{4}-\d\d-\d\d(?:[t ][\d:.]+(?:z|[+-]\d\d:?\d\d)?)?\b|` +
		`\b\d{1,2}[/-][a-z]{3,9}[/-]\d{4}(?::[\d:]+)?\b`)
	// measure matches a number, with or without its unit, a duration, and a time of day.
	measure = regexp.MustCompile(`^[<>=~≥≤≈+$€£-]*(?:` +
		`\d[\d.,:/]*(?:%|[kmgtp]i?|[kmgtp]?i?b|bn|[nuµm]?s|min|h|d|w|x|z|[ap]m|st|nd|rd|th|` +
		`[+-]\d\d:?\d\d)?(?:/(?:s|sec|m|min|h|d))?|` +
		`(?:\d[\d.]*(?:[smhdw]|[nuµm]s|secs?|mins?|hrs?))+)$`)
	// unit matches a word that belongs to the number before it.
	unit = regexp.MustCompile(`^(?:[smhdw]|[nuµm]s|(?:millisecond|second|sec|minute|min|hour|hr|day|` +
		`week|month)s?|[kmgtp]i?b|bytes?|percent|thousand|million|billion|` +
		`[ap]\.?m|utc|gmt|cest|cet|[ecmp][sd]t)$`)
	weekday = regexp.MustCompile(`^(?:mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur|sun)(?:day)?$`)
	month   = regexp.MustCompile(`^(?:jan|january|feb|february|mar|march|apr|april|may|june?|july?|aug|` +
		`august|sept?|september|oct|october|nov|november|dec|december)$`)
	// mixed matches letters and digits that a machine may have chosen, as the end of a pod's name.
	mixed = regexp.MustCompile(`^(?:[a-z]+\d|\d+[a-z])[a-z\d]{3,}$`)
	// runs matches letters alone, or digits alone.
	runs = regexp.MustCompile(`[a-z]+|\d+`)
	// wordless matches what Kubernetes makes names of: no vowels, and none of 0, 1 and 3
	// (https://github.com/kubernetes/apimachinery, util/rand).
	wordless = regexp.MustCompile(`^[bcdfghjklmnpqrstvwxz2456789]{5,10}$`)
	// naming matches words whose number is a part of the name: port 8080, exit code 137, shard 3.
	naming = regexp.MustCompile(`^(?:code|port|shard|error|exit|http|status|partition|node|replica|zone|` +
		`region|host|server|worker|instance|machine|broker)$`)
)

const stateWords = `triggered|acknowledged|firing|alerting|resolved|recovered|pending|no data|ok|new ` +
	`issue|regression`

// nameOf returns the name of a problem: a title without states, counters, measures, times, and what
// identifies one occurrence. It keeps numbers that are part of a name: db-2, p99, HTTP 500.
func nameOf(title string) string {
	title = identifiers.ReplaceAllString(states.ReplaceAllStringFunc(title, keepStatus), "#")
	words := strings.Fields(strings.ToLower(title))
	bare := make([]string, len(words)+2) // with an empty one before the first and after the last
	for i, word := range words {
		bare[i+1] = strings.Trim(word, "()[]{}<>\"'`*_,;.!?:")
	}
	var name []string
	for i, word := range words {
		before := bare[i]
		this := bare[i+1]
		after := bare[i+2]
		follows := len(name) > 0 && name[len(name)-1] == "#"
		switch {
		case numberInName(before, this, after):
		case measure.MatchString(this), strings.HasPrefix(this, "#"), ofMeasure(follows, this, after):
			word = "#"
		case strings.Contains(word, "://"):
			word = addressName(word)
		case countedKey(this) != "":
			word = countedKey(this) + "=#"
		default:
			word = withoutGenerated(word)
		}
		if word != "#" || !follows {
			name = append(name, word)
		}
	}
	return strings.Join(name, " ")
}

// firstName returns the name in the first line that has more than numbers and times, or an empty string.
func firstName(body string) string {
	for line := range strings.Lines(body) {
		if name := nameOf(line); strings.ContainsFunc(name, unicode.IsLetter) {
			return name
		}
	}
	return ""
}

// numberInName reports whether a word is a number that belongs to the name: a status code of HTTP, or the
// number of a port.
func numberInName(before, word, after string) bool {
	return strings.Trim(word, "0123456789") == "" && !unit.MatchString(after) &&
		(isStatus(word) || naming.MatchString(before))
}

// ofMeasure reports whether a word belongs to the number beside it: a unit, or a part of a date. follows says
// that a number is before it.
func ofMeasure(follows bool, word, after string) bool {
	leads := measure.MatchString(after)
	switch {
	case unit.MatchString(word):
		return follows
	case word == "and": // "1 hour and 5 minutes"
		return follows && leads
	case word == "may": // "3 may restart"
		return leads
	case month.MatchString(word):
		return follows || leads
	}
	return weekday.MatchString(word) &&
		(leads || month.MatchString(after) || strings.HasSuffix(word, "day"))
}

// addressName returns what an address in a title names: an issue, or the address without its query.
func addressName(word string) string {
	address := strings.Trim(word, "()[]{}<>\"'`*_,;.!?:")
	if end := strings.IndexAny(address, "?#"); end >= 0 {
		address = address[:end]
	}
	return cmp.Or(issueOf(address), strings.TrimRight(address, "/"))
}

// countedKey returns the key of a pair such as b=2.31 whose value is a measure, or an empty string. The
// address of a host is no measure, and neither is a number that belongs to the name, as in exit_code=137.
func countedKey(pair string) string {
	key, value, _ := strings.Cut(pair, "=")
	last := key[strings.LastIndexAny(key, "_.-")+1:]
	if !measure.MatchString(value) || strings.Contains(value, ":") || strings.Count(value, ".") > 1 ||
		numberInName(last, value, "") {
		return ""
	}
	return key
}

// withoutGenerated returns a word in which # stands for the parts that a machine chose.
func withoutGenerated(word string) string {
	parts := strings.Split(word, "-")
	for i, part := range parts {
		if isGenerated(part) {
			parts[i] = "#"
		}
	}
	return strings.Join(parts, "-")
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
