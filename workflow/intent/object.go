package intent

import "slices"

// A Refusal is what a message says against work that is under way. A refusal permits nothing, so it is read
// liberally, where consent is read strictly.
type Refusal string

// The refusals.
const (
	RefusalNone Refusal = ""
	RefusalHold Refusal = "hold" // an objection: the result waits for a person before it is pushed
	RefusalStop Refusal = "stop" // says to stop, to wait, or not to fix, push or go on
)

// ReadRefusal reads whether a message stops approved work, or objects to it.
func (l Lexicon) ReadRefusal(text string) Refusal {
	switch l.ReadConsent(text).Kind {
	case ConsentStop:
		return RefusalStop
	case ConsentRefuse:
		return RefusalHold
	}
	return RefusalNone
}

// RefusingReaction reports whether an emoji says no. name is as Slack names it, without the skin tone.
func RefusingReaction(name string) bool { return slices.Contains(refusingReactions, name) }

var refusingReactions = []string{
	"-1", "thumbsdown", "x", "negative_squared_cross_mark", "heavy_multiplication_x", "octagonal_sign", "stop_sign",
	"no_entry", "no_entry_sign", "no_good", "raised_hand", "hand", "double_vertical_bar", "black_square_for_stop",
}
