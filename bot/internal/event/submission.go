package event

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

// The names of the inputs of the forms. Each input is in a block of the same name.
const (
	InputWords  = "words"
	InputFiles  = "files"
	InputChoice = "repository"
	// InputChannel is the menu of channels in a form that begins a thread.
	InputChannel = "channel"
)

// Submission is one modal that a person submitted.
type Submission struct {
	In         workflow.IncomingEvent // the event, without channel and thread ts
	Errors     map[string]string      // why a value is refused, by input name
	BlameInput string                 // name of the input under which other errors are shown
	Unknown    string                 // why the bot ignores the modal; empty: it does not
	View       string                 // id of the modal
}

// ReadSubmission reads the payload of an interactive envelope; ok is false if it is not a submitted
// modal. The EventID depends on the modal, the user and the text, so a modal that is submitted again
// after a lost response counts once.
func (r Reader) ReadSubmission(payload []byte) (s Submission, ok bool) {
	var p viewSubmission
	if err := json.Unmarshal(payload, &p); err != nil || p.Type != "view_submission" {
		return s, false
	}
	view := p.View.v
	s.View = string(view.ID)
	value, ts, _ := strings.Cut(string(view.Metadata), " ")
	s.In = workflow.IncomingEvent{
		Kind:     workflow.MessageForm,
		Thread:   workflow.Thread{Team: r.Self.Team},
		TS:       ts,
		User:     string(p.User.v.ID),
		UserTeam: string(p.User.v.TeamID),
		ActionID: workflow.ActionID(view.CallbackID),
		Value:    value,
		At:       time.Now().UTC(),
	}
	if view.ID == "" || value == "" || s.In.User == "" {
		s.Unknown = "a form that belongs to no button"
		return s, true
	}
	entered := func(name string) string {
		f := view.State.v.Values.v[name].v[name].v
		return strings.TrimSpace(mrkdwn.Visible(string(cmp.Or(f.Value, f.Selected.v.Value))))
	}
	s.BlameInput = InputWords
	s.Errors = map[string]string{}
	switch s.In.ActionID {
	case workflow.ButtonCorrect:
		if s.In.Text = entered(InputWords); s.In.Text == "" {
			s.Errors[InputWords] = "Say what is wrong, or close this."
		}
	case workflow.ButtonRepository, workflow.ButtonBase:
		s.BlameInput = InputChoice
		if s.In.Text = entered(InputChoice); s.In.Text == "" {
			s.Errors[InputChoice] = "Choose one, or close this."
		}
	case workflow.ButtonFixLimited:
		var cure string
		if s.In.Text, cure = intent.LimitedTo(entered(InputFiles), entered(InputWords)); cure != "" {
			s.Errors[InputWords] = cure
		}
	case workflow.ButtonAskStop:
		s.In.Text = workflow.StopWord
	case workflow.ButtonLesson:
		s.In.Text = entered(InputWords)
	case workflow.ButtonReport, workflow.ButtonFeature:
		s.readReport(entered)
	default:
		s.Unknown = fmt.Sprintf("a form of %q", mrkdwn.OneLine(string(s.In.ActionID), 40))
	}
	sum := sha256.Sum256([]byte(s.In.User + "\x00" + s.In.Text))
	s.In.EventID = "form:" + string(view.ID) + ":" + hex.EncodeToString(sum[:8])
	return s, true
}

// ReadLabel returns what a person read on the button or in the menu that was pressed, or an empty string.
func ReadLabel(payload []byte) string {
	type text struct {
		Text string `json:"text"`
	}
	var p struct {
		Actions []struct {
			Text     text `json:"text"`
			Selected struct {
				Text text `json:"text"`
			} `json:"selected_option"`
		} `json:"actions"`
	}
	if json.Unmarshal(payload, &p) != nil || len(p.Actions) == 0 {
		return ""
	}
	return cmp.Or(p.Actions[0].Selected.Text.Text, p.Actions[0].Text.Text)
}

// readReport reads a form that begins a thread: its text is the report, and its channel the one that was
// chosen, or the one for which it was opened.
func (s *Submission) readReport(entered func(string) string) {
	form := workflow.ReportFormOf(s.In.ActionID)
	if s.In.Text = form.Text(entered); s.In.Text == "" {
		s.Errors[InputWords] = "Say this, or close the form."
	}
	s.In.Thread.Channel = cmp.Or(entered(InputChannel), s.In.Value)
}

// Report returns the report of a form that begins a thread, as a command that begins it.
func (s Submission) Report() SlashCommand {
	return SlashCommand{
		Envelope: s.In.EventID, Key: "form:" + s.View, Channel: s.In.Thread.Channel, User: s.In.User,
		Team: s.In.UserTeam, Name: workflow.ReportFormOf(s.In.ActionID).Begins + ":", Text: s.In.Text,
		Reports: true,
	}
}

// ReadTrigger returns the trigger id of a press, which is needed to open a modal, or an empty string.
func ReadTrigger(payload []byte) string {
	var t trigger
	if json.Unmarshal(payload, &t) != nil {
		return ""
	}
	return string(t.TriggerID)
}
