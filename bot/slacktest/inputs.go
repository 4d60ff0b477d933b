package slacktest

import (
	"errors"
	"fmt"
	"maps"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/bot/slacktest/blockkit"
)

// mayBeSent is what Slack looks at before it sends a modal: there is a button for it, what
// has to be entered is, and nothing is longer than the app allows.
func mayBeSent(v *View, entered map[string]string) error {
	if v.fields["submit"] == nil {
		return fmt.Errorf("slacktest: the modal %q has nothing to send", v.Title)
	}
	known := map[string]bool{}
	for _, b := range v.blocks {
		e, ok := b["element"].(object)
		if !ok || blockkit.Text(b, "type") != "input" {
			continue
		}
		id := blockkit.Text(e, "action_id")
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

// asOpened adds what stood in the modal's inputs from the start, where nothing else was entered.
func asOpened(v *View, entered map[string]string) map[string]string {
	all := map[string]string{}
	for _, c := range blockkit.Controls(v.blocks) {
		if first := blockkit.Text(c.Element, "initial_value"); first != "" {
			all[c.ActionID] = first
		}
	}
	maps.Copy(all, entered)
	return all
}

// shownErrors are what the person sees: Slack shows an error below its input only, and one
// that names no input as trouble of the app's.
func shownErrors(v *View, answered map[string]string) map[string]string {
	inputs := map[string]bool{}
	for _, b := range v.blocks {
		if blockkit.Text(b, "type") == "input" {
			inputs[blockkit.Text(b, "block_id")] = true
		}
	}
	for id := range answered {
		if !inputs[id] {
			return map[string]string{"": "We had some trouble connecting. Try again?"}
		}
	}
	return answered
}
