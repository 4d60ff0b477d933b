package gateway

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/workflow"
)

// Some buttons open a modal. Slack allows three seconds for that after the press, so the gateway opens the
// modal as soon as the press arrives, unless the person may not use it: then the turn that handles the press
// refuses it. The button's row says whether the modal is still valid, and the press
// is stored together with the result. If no modal was opened, the turn that handles the press explains in the
// thread how to do the same in words.
//
// A submitted modal goes to the Inbox like a reply. Slack waits three seconds for the response and shows it
// in the modal, so a submission that is too late is refused there, and its text can still be copied. A modal
// that is closed is not stored.
//
// https://docs.slack.dev/surfaces/modals

// Forms makes the modals that buttons open, and stores their submissions.
type Forms interface {
	// Form returns the modal of the button with that action and value, or nil if it opens none.
	Form(ctx context.Context, action workflow.ActionID, value string) (*workflow.Form, error)
	// Submit stores a submission durably in the thread of its button, or returns why it came too late, as
	// text for the modal. A duplicate changes nothing and is not an error.
	Submit(ctx context.Context, in workflow.IncomingEvent) (late string, err error)
}

// openPressed opens the modal of a pressed button, and records in the event that it was opened.
func (l *link) openPressed(ctx context.Context, in *workflow.IncomingEvent, payload []byte) {
	if l.Forms == nil || in.Kind != workflow.MessageAction || !workflow.OpensForm(in.ActionID) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.formTimeout())
	defer cancel()
	opened, err := l.openForm(ctx, *in, payload)
	if err != nil {
		l.log.Warn("could not open a form; the thread is told how to do it in words", "action", in.ActionID,
			"err", bot.ExplainError(err, bot.BotTokenName))
	}
	if opened {
		in.Text = workflow.FormOpened
	}
}

func (l *link) openForm(ctx context.Context, in workflow.IncomingEvent, payload []byte) (bool, error) {
	trigger := event.ReadTrigger(payload)
	if trigger == "" {
		return false, nil
	}
	form, err := l.Forms.Form(ctx, in.ActionID, in.Value)
	if err != nil || form == nil {
		return false, err
	}
	if !l.mayOpen(ctx, in.User, *form) {
		return false, nil
	}
	form.Label = event.ReadLabel(payload)
	if form.Text != "" && l.HidesCode != nil {
		if why := l.HidesCode(ctx, form.Repositories, form.Thread.Channel); why != "" {
			form.Text = render.KeptBack(why, form.Session)
		}
	}
	if l.PageOf != nil {
		form.Page = l.PageOf(in.User, form.Session)
	}
	_, err = l.Slack.API.OpenViewContext(ctx, trigger, render.Modal(*form, in.TS))
	return err == nil, err
}

// mayOpen reports whether the form is opened for that user. If that cannot be read, it is: what is sent with
// a form is judged when it comes.
func (l *link) mayOpen(ctx context.Context, user string, form workflow.Form) bool {
	if l.MayOpen == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, l.formTimeout()/2)
	defer cancel()
	may, err := l.MayOpen(ctx, user, form)
	if err != nil {
		l.log.Warn("a form is opened: cannot read who may use it", "user", user, "err", err)
		return true
	}
	return may
}

// keepSubmission stores a submission and returns what to show in the modal, or nil to close it.
func (l *link) keepSubmission(ctx context.Context, s event.Submission) any {
	ofHome := s.In.ActionID == workflow.ButtonLesson
	reports := workflow.IsReportForm(s.In.ActionID)
	switch {
	case reports && l.Commands == nil:
		return nil
	case reports && len(s.Errors) == 0 && s.Unknown == "":
		return l.keepReport(ctx, s)
	case s.Unknown != "" || !ofHome && l.Forms == nil || ofHome && l.Homes == nil:
		l.log.Debug("not for us", "reason", s.Unknown)
		return nil
	case len(s.Errors) > 0:
		return slack.NewErrorsViewSubmissionResponse(s.Errors)
	}
	if l.skipLookup {
		s.In.EventID += rand.Text()
	}
	told := func(words string) any {
		return slack.NewErrorsViewSubmissionResponse(map[string]string{s.BlameInput: words})
	}
	bounded, cancel := context.WithTimeout(ctx, l.commandTimeout())
	defer cancel()
	var late string
	err := l.retryUntil(bounded, time.Now().Add(l.storeTimeout()), func() (err error) {
		if ofHome {
			late, err = l.Homes.Submit(bounded, s.In)
		} else {
			late, err = l.Forms.Submit(bounded, s.In)
		}
		return err
	})
	switch {
	case err != nil:
		l.log.Error("could not keep a form; the person is told to send it again",
			"event", s.In.EventID, "err", err)
		return told("I could not keep this: something I need is away. Your words stay here; " +
			"please send them again in a moment.")
	case late != "":
		return told(late)
	case ofHome:
		l.openHome(ctx, s.In.User)
	}
	return nil
}
