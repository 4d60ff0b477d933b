package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The marks around a private key in a block, as the rules know them.
var (
	keyBegins = regexp.MustCompile(`(?i)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
	keyEnds   = regexp.MustCompile(`(?i)-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
)

// keyLine matches a line of a key. Something may stand before it, such as a line number.
var keyLine = regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}`)

// privateKey is the id of the rule that finds a whole private key.
const privateKey = "private-key"

// HideKeys masks the lines between the marks of private keys, each by itself, so that a part of a text can be
// shown with the numbers of its lines: the rules do not know a key by lines from its middle.
func HideKeys(text string) string {
	if !strings.Contains(text, "PRIVATE KEY") { // most texts
		return text
	}
	lines := strings.Split(text, "\n")
	inside := false
	for i, line := range lines {
		switch {
		case keyEnds.MatchString(line):
			inside = false
		case keyBegins.MatchString(line):
			inside = slices.ContainsFunc(lines[i:], keyEnds.MatchString)
		case inside:
			lines[i] = masked + privateKey + "]"
		}
	}
	return strings.Join(lines, "\n")
}

// maxHead is how many lines may stand between the beginning of a block and the key, and
// between the key and its end.
const maxHead = 4

// halfKeys returns the lines of a private key of which the text has only the beginning or the end: the rules
// find only a whole one, and a file may be read in halves.
func halfKeys(text string) (found []Found) {
	if !strings.Contains(text, "-----") { // most texts
		return nil
	}
	begins := keyBegins.FindAllStringIndex(text, -1)
	ends := keyEnds.FindAllStringIndex(text, -1)
	if len(ends) > 0 && (len(begins) == 0 || ends[0][0] < begins[0][0]) {
		lines := strings.Split(text[:ends[0][0]], "\n")
		found = append(found, keyLines(lines, len(lines)-1, -1)...)
	}
	if len(begins) > 0 && (len(ends) == 0 || ends[len(ends)-1][0] < begins[len(begins)-1][0]) {
		at := begins[len(begins)-1][1]
		line := strings.Count(text[:at], "\n")
		for _, x := range keyLines(strings.Split(text[at:], "\n"), 0, 1) {
			x.Line += line
			found = append(found, x)
		}
	}
	return found
}

// keyLines returns the key in the lines from one on, in steps of 1 or -1, up to a
// line that is not of the key.
func keyLines(lines []string, from, step int) (found []Found) {
	inside := false
	for i := from; i >= 0 && i < len(lines); i += step {
		runs := slices.DeleteFunc(keyLine.FindAllString(lines[i], -1), func(run string) bool {
			// a commit's hash, or a path or a long name
			return strings.Trim(run, "0123456789abcdef") == "" || !inside && !mixed(run)
		})
		of := len(runs) > 0 || strings.Contains(lines[i], masked+privateKey)
		if inside && !of || !inside && (i-from)*step > maxHead {
			return found
		}
		inside = of
		for _, run := range runs {
			found = append(found, Found{privateKey, i + 1, run})
		}
	}
	return found
}

// mixed reports whether a run holds capital letters, small ones and digits, as
// nearly every line of a key does.
func mixed(run string) bool {
	return strings.ContainsFunc(run, unicode.IsUpper) && strings.ContainsFunc(run, unicode.IsLower) &&
		strings.ContainsFunc(run, unicode.IsDigit)
}
