package plaintext

import (
	"slices"
	"strings"
)

// Slug makes the readable part of a branch name from a title: whole words in lower case, at most 40
// characters. Only a first word longer than that is cut. A title that is cut does not end with a word such as
// "of".
func Slug(title string) string {
	const most = 40
	words := strings.FieldsFunc(latin.Replace(strings.ToLower(title)),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "change"
	}
	slug := words[0][:min(len(words[0]), most)]
	whole := true
	for _, word := range words[1:] {
		if whole = len(slug)+1+len(word) <= most; !whole {
			break
		}
		slug += "-" + word
	}
	for !whole { // no word that leads on to what was cut
		at := strings.LastIndexByte(slug, '-')
		if at < 0 || !slices.Contains(leadingOn, slug[at+1:]) {
			break
		}
		slug = slug[:at]
	}
	return slug
}

// leadingOn are words at which a title is not cut.
var leadingOn = strings.Fields("a an the of in on at to for from with by and or as is are be that than " +
	"der die das den dem ein eine einer einen im am an auf zu zum zur von vom mit und oder als bei")

// latin writes letters with marks as people write them without.
var latin = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "å", "a",
	"à", "a", "á", "a", "â", "a", "ã", "a", "ç", "c", "è", "e", "é", "e", "ê", "e", "ë", "e",
	"ì", "i", "í", "i", "î", "i", "ï", "i", "ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o",
	"ù", "u", "ú", "u", "û", "u", "ý", "y",
)
