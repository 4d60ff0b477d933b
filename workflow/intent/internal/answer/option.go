// Package answer reads people's answers to questions: which option of a question they mean, and whether an
// interview ends or goes on. No word here approves anything.
package answer

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// OptionNamed returns the index of the option that an answer in words means. The answer holds the option's
// own words, its number or letter ("2", "b", "option 2", "the second"), or the beginning of its words, if
// that has at least three letters and fits no other option. OptionNamed returns -1 and true if the answer
// takes the recommendation. A number that could be an option's own words as well as its place ("3" for "1
// day", "2 days", "3 weeks", "5 weeks") counts only if both mean the same option.
func OptionNamed(text string, options []string) (int, bool) {
	own, _ := words.OwnLines(words.SpellPictures(words.Straighten(text)))
	if utf8.RuneCountInString(text) > words.MaxLength || words.AddressesOther(own) {
		return 0, false
	}
	said := strings.ToLower(strings.TrimSpace(own))
	short := words.Courteous(said)
	for _, s := range []string{said, short, choosing.ReplaceAllString(short, "")} {
		if i, ok := ownWords(s, options); ok {
			return i, true
		}
	}
	if short == "" || strings.Contains(short, "?") {
		return 0, false
	}
	s := choosing.ReplaceAllString(short, "")
	if recommended.MatchString(s) || recommended.MatchString(short) {
		return -1, true
	}
	if i, ok := numbered(s, options); ok {
		return i, true
	}
	return beginning(s, options)
}

// Forms of answers to a question with options.
var (
	ordinals = []string{
		"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
	}
	choosing = lazyregexp.New(`^(?:(?:ok|okay|yes|hm+|so|well|then|probably|maybe)[,. ` +
		`]+)*(?:(?:i|we|let's|let us)(?:'d|'ll| would| will)? )?(?:(?:rather )?(?:say|go with|go for|take|` +
		`choose|pick|prefer|use|want|like|opt for|vote for) )?`)
	recommended = lazyregexp.New(`^(?:(?:the |your )?(?:recommended|recommendation|recommended (?:one|` +
		`option|answer)|default|pick|choice|call|suggestion)|as (?:you )?(?:recommend(?:ed)?|` +
		`suggest(?:ed)?)|as (?:you )?like|whatever you (?:recommend|suggest|think(?: ` +
		`is (?:best|right))?|like|prefer)|what you (?:recommend|suggest|think is best)|you (?:decide|` +
		`choose|pick)|up to you|it's up to you|i trust you)[.! ]*$`)
	place = lazyregexp.New(`^(option |number |no\.? ?|nr\.? ?|# ?|option #)?(?:(\d{1,2})[.)]?|(?:the ` +
		`)?(?:(\d{1,2})(?:st|nd|rd|th)|(` + strings.Join(ordinals, "|") +
		`)|(last|former|latter))|\(?([a-h])\)?)(?: one| option)?[.! ]*$`)
)

// ownWords finds the option with the same words, ignoring case and punctuation.
func ownWords(s string, options []string) (int, bool) {
	found, hits := 0, 0
	for i, o := range options {
		switch {
		case strings.EqualFold(strings.TrimSpace(o), s) && s != "":
			return i, true
		case lettersOf(o) == lettersOf(s) && lettersOf(s) != "" && !strings.Contains(s, "?"):
			found = i
			hits = hits + 1
		}
	}
	return found, hits == 1
}

// numbered finds the option whose place s names.
func numbered(s string, options []string) (int, bool) {
	m := place.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(m[2] + m[3])
	if m[4] != "" {
		n = slices.Index(ordinals, m[4]) + 1
	}
	if m[6] != "" {
		n = int(m[6][0]-'a') + 1
	}
	switch m[5] {
	case "former":
		n = 1
	case "last", "latter":
		n = len(options)
	}
	if m[5] == "former" || m[5] == "latter" {
		return n - 1, len(options) == 2
	}
	if m[1] == "" && m[2]+m[6] != "" && beginsOther(m[2]+m[6], options, n-1) {
		return 0, false
	}
	return n - 1, n >= 1 && n <= len(options)
}

// beginsOther reports whether an option other than the one at index at begins with the word.
func beginsOther(word string, options []string, at int) bool {
	for i, o := range options {
		if first, _, _ := strings.Cut(lettersOf(o), " "); first == word && i != at {
			return true
		}
	}
	return false
}

// beginning finds the only option that begins with s.
func beginning(s string, options []string) (int, bool) {
	s = lettersOf(s)
	found, hits := 0, 0
	for i, o := range options {
		if strings.HasPrefix(lettersOf(o), s) {
			found = i
			hits = hits + 1
		}
	}
	if hits != 1 || len(letter.FindAllStringIndex(s, 3)) < 3 {
		return 0, false
	}
	return found, true
}

var letter = lazyregexp.New(`\p{L}`)

// lettersOf returns the words of s in lower case and without punctuation.
func lettersOf(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(words.Straighten(s)), func(r rune) bool {
		return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}
