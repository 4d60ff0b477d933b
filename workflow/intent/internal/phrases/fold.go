package phrases

import (
	"strings"
	"unicode"
)

// Fold writes s as refusals are compared: in lower case, without accents and apostrophes, and with one letter
// where three or more repeat.
func Fold(s string) string {
	s = plainLetters.Replace(strings.ToLower(s))
	runes := []rune(s)
	var b strings.Builder
	for i := 0; i < len(runes); {
		end := i + 1
		for end < len(runes) && runes[end] == runes[i] {
			end++
		}
		run := runes[i:end]
		if len(run) > 2 && unicode.IsLetter(runes[i]) {
			run = run[:1]
		}
		b.WriteString(string(run))
		i = end
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

var plainLetters = strings.NewReplacer(
	"'", "", "’", "", "à", "a", "á", "a", "â", "a", "ã", "a", "ä", "a", "ą", "a", "ç", "c", "ć", "c",
	"è", "e", "é", "e", "ê", "e", "ë", "e",
	"ę", "e", "ì", "i", "í", "i", "î", "i", "ï", "i", "ł", "l", "ñ", "n", "ń", "n", "ò", "o", "ó", "o",
	"ô", "o", "õ", "o", "ö", "o", "ś", "s",
	"ù", "u", "ú", "u", "û", "u", "ü", "u", "ź", "z", "ż", "z", "ß", "ss",
)

// cutPrefix returns what follows a phrase at the beginning of s. A phrase ends where a word does; in the
// scripts that put no spaces between words it ends anywhere.
func cutPrefix(s, phrase string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(s, phrase)
	if !ok || phrase == "" {
		return s, false
	}
	last := lastRune(phrase)
	next := firstRune(rest)
	if inWord(last) && inWord(next) && !joins(last) {
		return s, false
	}
	return strings.TrimLeft(rest, " "), true
}

// cutSuffix returns what precedes a phrase at the end of s.
func cutSuffix(s, phrase string) (rest string, ok bool) {
	rest, ok = strings.CutSuffix(s, phrase)
	if !ok || phrase == "" {
		return s, false
	}
	last := lastRune(rest)
	next := firstRune(phrase)
	if inWord(last) && inWord(next) && !joins(next) {
		return s, false
	}
	return strings.TrimRight(rest, " "), true
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

func lastRune(s string) (last rune) {
	for _, r := range s {
		last = r
	}
	return last
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// joins reports whether r is a letter of a script in which words are joined: Chinese, Japanese or Korean.
func joins(r rune) bool {
	return r > unicode.MaxLatin1 &&
		(unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー')
}
