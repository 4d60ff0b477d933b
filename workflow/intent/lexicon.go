package intent

import "fmt"

// A Lexicon reads messages by the words of its lists. The zero value has the built-in lists of all languages;
// NewLexicon adds words to them.
type Lexicon struct {
	added map[string][]string
}

// NewLexicon returns a lexicon with the built-in lists and the added phrases. The keys of added are stop, hold,
// approve, go_on and no.
func NewLexicon(added map[string][]string) (Lexicon, error) {
	for key := range added {
		switch key {
		case "stop", "hold", "approve", "go_on", "no":
		default:
			return Lexicon{}, fmt.Errorf("words: %s: unknown list; use stop, hold, approve, go_on or no", key)
		}
	}
	return Lexicon{added: added}, nil
}

// ReadConsent reads a message with the zero Lexicon.
func ReadConsent(text string) Consent { return Lexicon{}.ReadConsent(text) }

// Permits reads a message with the zero Lexicon.
func Permits(text string) bool { return Lexicon{}.Permits(text) }

// SaysGoOn reads a message with the zero Lexicon.
func SaysGoOn(text string) bool { return Lexicon{}.SaysGoOn(text) }

// GoesOn reads a message with the zero Lexicon.
func GoesOn(text string) bool { return Lexicon{}.GoesOn(text) }
