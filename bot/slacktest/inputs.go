package slacktest

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// mostInput is how much a text input takes at most; Slack's limit, which max_length lowers.
const mostInput = 3000

// input checks a text input. See https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element
func (v *validator) input(e object, at string) {
	for _, key := range []string{"min_length", "max_length"} {
		if n, given := e[key].(float64); given && (n < 0 || n > mostInput) {
			v.wrong(at+"/"+key, "must be between 0 and %d", mostInput)
		}
	}
	v.length(str(e, "initial_value"), mostInput, at+"/initial_value")
	if e["placeholder"] != nil {
		v.text(e, "placeholder", 150, at, "plain_text")
	}
}

// mayBeSent is what Slack looks at before it sends a modal: there is a button for it, what
// has to be entered is, and nothing is longer than the app allows.
func mayBeSent(v *View, entered map[string]string) error {
	if v.fields["submit"] == nil {
		return fmt.Errorf("slacktest: the modal %q has nothing to send", v.Title)
	}
	known := map[string]bool{}
	for _, b := range v.blocks {
		e, ok := b["element"].(object)
		if !ok || str(b, "type") != "input" {
			continue
		}
		id := str(e, "action_id")
		known[id] = true
		if entered[id] == "" && b["optional"] != true {
			return fmt.Errorf("slacktest: %q has to be filled in", id)
		}
		if most, given := e["max_length"].(float64); given && utf8.RuneCountInString(entered[id]) > int(most) {
			return fmt.Errorf("slacktest: %q takes %d characters", id, int(most))
		}
	}
	for id := range entered {
		if !known[id] {
			return errors.New("slacktest: the modal has no input " + id)
		}
	}
	return nil
}

// shownErrors are what the person sees: Slack shows an error below its input only, and one
// that names no input as trouble of the app's.
func shownErrors(v *View, answered map[string]string) map[string]string {
	inputs := map[string]bool{}
	for _, b := range v.blocks {
		if str(b, "type") == "input" {
			inputs[str(b, "block_id")] = true
		}
	}
	for id := range answered {
		if !inputs[id] {
			return map[string]string{"": "We had some trouble connecting. Try again?"}
		}
	}
	return answered
}
