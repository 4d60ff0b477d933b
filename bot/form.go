package bot

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

// Some buttons open a modal. Slack gives three seconds for that from the press, so it is
// opened here, as the press arrives: the buttons' rows say whether it makes sense, and the
// press is kept with what became of it. Where no modal stands open, whoever judges the
// press says in the thread how the same is done in words.
//
// What is sent in a modal goes to the Inbox like a reply. Slack shows the answer in the
// modal, so what cannot count any more is told there, and the words stay to be copied; it
// waits three seconds for it. A modal that is closed leaves nothing behind.
//
// https://docs.slack.dev/surfaces/modals

// Forms knows what the buttons ask for that open a modal.
type Forms interface {
	// Form is what the button of that action and value asks for; nil where it opens nothing.
	Form(ctx context.Context, action, value string) (*workflow.Form, error)
	// Submit keeps what was sent in a modal for good, in the thread of its button, or says
	// in words why it came too late. What was kept before changes nothing and is no error.
	Submit(ctx context.Context, in workflow.Incoming) (late string, err error)
}

// formWithin is how long opening a modal may hold up the acknowledgement of its press.
const formWithin = 1200 * time.Millisecond

// pressed opens the modal that a press asks for, and notes in the press that it stands open.
func (l *link) pressed(ctx context.Context, in *workflow.Incoming, payload []byte) {
	if l.Forms == nil || in.Kind != workflow.IncomingAction || !workflow.OpensForm(in.ActionID) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, formWithin)
	defer cancel()
	opened, err := l.openForm(ctx, *in, payload)
	if err != nil {
		l.log.Warn("could not open a form; the thread is told how to do it in words", "action", in.ActionID, "err", l.Slack.explain(err, botTokenName))
	}
	if opened {
		in.Text = workflow.FormOpened
	}
}

func (l *link) openForm(ctx context.Context, in workflow.Incoming, payload []byte) (bool, error) {
	var t trigger
	if err := json.Unmarshal(payload, &t); err != nil || t.TriggerID == "" {
		return false, nil
	}
	form, err := l.Forms.Form(ctx, in.ActionID, in.Value)
	if err != nil || form == nil {
		return false, err
	}
	_, err = l.Slack.api.OpenViewContext(ctx, string(t.TriggerID), modal(*form, in.TS))
	return err == nil, err
}

// The inputs of the forms: each is a block of the same name.
const (
	inputWords  = "words"
	inputFiles  = "files"
	inputChoice = "repository"
)

// mostOptions is how many a menu may have.
const mostOptions = 100

// modal is the form as Slack shows it. Beside the button's opaque id it carries the ts of
// the button's message only.
func modal(f workflow.Form, ts string) slack.ModalViewRequest {
	view := slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: f.ActionID, PrivateMetadata: f.Value + " " + ts, Close: plainText("Cancel"),
	}
	switch {
	case f.Late != "":
		view.Title, view.Close = plainText("Too late"), plainText("Close")
		view.Blocks.BlockSet = []slack.Block{slack.NewSectionBlock(plainText(f.Late), nil, nil)}
	case f.ActionID == workflow.ActionCorrect:
		view.Title, view.Submit = plainText("Correct"), plainText("Send")
		view.Blocks.BlockSet = []slack.Block{
			input(inputWords, "What is wrong, or what has to change?", "Everybody in the thread reads it, with your name.", false),
		}
	case f.ActionID == workflow.ActionRepository:
		view.Title, view.Submit = plainText("Change repository"), plainText("Choose")
		view.Blocks.BlockSet = []slack.Block{slack.NewInputBlock(inputChoice, plainText("Which repository is this about?"), nil, menu(inputChoice, f.Choices))}
	case f.ActionID == workflow.ActionFixLimited:
		view.Title, view.Submit = plainText("Fix it, with limits"), plainText("Fix it")
		view.Blocks.BlockSet = []slack.Block{
			slack.NewSectionBlock(plainText(fmt.Sprintf("This approves revision %d, and nothing beyond what you say here may change.", f.Revision)), nil, nil),
			input(inputFiles, "Only these files or folders", "One in a line, such as money/split.go or coupon/", true),
			input(inputWords, "Instructions", "What is to be mended, and what is to be left alone.", true),
		}
	}
	return view
}

func plainText(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
}

func menu(name string, choices []string) *slack.SelectBlockElement {
	var options []*slack.OptionBlockObject
	for _, c := range choices[:min(len(choices), mostOptions)] {
		options = append(options, slack.NewOptionBlockObject(c, plainText(cmp.Or(oneLine(c, maxLabel), "…")), nil))
	}
	return slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, nil, name, options...)
}

func input(name, label, hint string, optional bool) *slack.InputBlock {
	element := slack.NewPlainTextInputBlockElement(nil, name)
	element.Multiline, element.MaxLength = true, workflow.MostEntered
	return slack.NewInputBlock(name, plainText(label), plainText(hint), element).WithOptional(optional)
}

// submitted is one modal that somebody sent.
type submitted struct {
	in      workflow.Incoming // without its thread
	errors  map[string]string // by input: what cannot be taken
	blame   string            // the input under which trouble is told
	unknown string            // why it is nothing to us; empty: it is
}

// submission reads the payload of an interactive envelope; ok is false where it is no modal.
// The same words in the same modal are the same event: sent again after an answer that was
// lost, they count once, and other words count too.
func (r Reader) submission(payload []byte) (s submitted, ok bool) {
	var p viewSubmission
	if err := json.Unmarshal(payload, &p); err != nil || p.Type != "view_submission" {
		return s, false
	}
	view := p.View.v
	value, ts, _ := strings.Cut(string(view.Metadata), " ")
	s.in = workflow.Incoming{
		Kind: workflow.IncomingForm, Thread: workflow.Thread{Team: r.Self.Team}, TS: ts, User: string(p.User.v.ID), UserTeam: string(p.User.v.TeamID),
		ActionID: string(view.CallbackID), Value: value, At: time.Now().UTC(),
	}
	if view.ID == "" || value == "" || s.in.User == "" {
		s.unknown = "a form that belongs to no button"
		return s, true
	}
	entered := func(name string) string {
		f := view.State.v.Values.v[name].v[name].v
		return strings.TrimSpace(visible(string(cmp.Or(f.Value, f.Selected.v.Value))))
	}
	s.blame, s.errors = inputWords, map[string]string{}
	switch s.in.ActionID {
	case workflow.ActionCorrect:
		if s.in.Text = entered(inputWords); s.in.Text == "" {
			s.errors[inputWords] = "Say what is wrong, or close this."
		}
	case workflow.ActionRepository:
		s.blame = inputChoice
		if s.in.Text = entered(inputChoice); s.in.Text == "" {
			s.errors[inputChoice] = "Choose one, or close this."
		}
	case workflow.ActionFixLimited:
		var cure string
		if s.in.Text, cure = intent.LimitedTo(entered(inputFiles), entered(inputWords)); cure != "" {
			s.errors[inputWords] = cure
		}
	default:
		s.unknown = fmt.Sprintf("a form of %q", oneLine(s.in.ActionID, 40))
	}
	sum := sha256.Sum256([]byte(s.in.User + "\x00" + s.in.Text))
	s.in.EventID = "form:" + string(view.ID) + ":" + hex.EncodeToString(sum[:8])
	return s, true
}

// submit keeps what was sent, and gives what to show in the modal; nil closes it.
func (l *link) submit(ctx context.Context, s submitted) any {
	switch {
	case s.unknown != "" || l.Forms == nil:
		l.log.Debug("not for us", "reason", s.unknown)
		return nil
	case len(s.errors) > 0:
		return slack.NewErrorsViewSubmissionResponse(s.errors)
	}
	if l.blind {
		s.in.EventID += rand.Text()
	}
	told := func(words string) any {
		return slack.NewErrorsViewSubmissionResponse(map[string]string{s.blame: words})
	}
	ctx, cancel := context.WithTimeout(ctx, max(commandWithin, l.patience()))
	defer cancel()
	var late string
	err := l.persist(ctx, time.Now().Add(l.patience()), func() (err error) {
		late, err = l.Forms.Submit(ctx, s.in)
		return err
	})
	switch {
	case err != nil:
		l.log.Error("could not keep a form; the person is told to send it again", "event", s.in.EventID, "err", err)
		return told("I could not keep this: something I need is away. Your words stay here; please send them again in a moment.")
	case late != "":
		return told(late)
	}
	return nil
}
