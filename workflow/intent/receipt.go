package intent

import "github.com/bobbinhq/bobbin/workflow/intent/internal/words"

// What receives a message reads no more of it than this, in the transaction that stores it, or before:
// whether it may have to end what runs at once. A turn then reads the whole message, and judges it.

// EndsWork reports whether a message says to stop, in words that end work in any phase.
func (l Lexicon) EndsWork(text string) bool {
	_, ends := l.readRefusal(text, spokenSentences(text))
	return ends
}

// MayStop reports whether a turn can judge a message to be a stop.
func (l Lexicon) MayStop(text string) bool {
	refused, ends := l.readRefusal(text, spokenSentences(text))
	return ends || refusalNow(words.Prepare(text), refused) == RefusalStop
}
