package slacktest

import (
	"errors"
	"fmt"
	"maps"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// mayBeSent returns an error if Slack would not send a modal: it has no submit button, a required input is
// empty, or a text is longer than the app allows.
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
		if most, given := e["max_length"].(float64); given &&
			utf8.RuneCountInString(entered[id]) > int(most) {
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

// asOpened adds the initial value, or option, of each input for which nothing was entered.
func asOpened(v *View, entered map[string]string) map[string]string {
	all := map[string]string{}
	for _, c := range blockkit.Controls(v.blocks) {
		if first := blockkit.Text(c.Element, "initial_value"); first != "" {
			all[c.ActionID] = first
		}
		if first, ok := c.Element["initial_option"].(object); ok {
			all[c.ActionID] = blockkit.Text(first, "value")
		}
	}
	maps.Copy(all, entered)
	return all
}

// shownErrors returns the errors that the person sees: Slack shows an error only below its input. An error
// for an unknown input appears as a problem of the app.
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
