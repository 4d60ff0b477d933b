package gateway

import (
	"context"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/workflow"
)

// Commands answers the command /bobbin, whose answers only the person sees, and says who may begin a thread
// by a form. Only "/bobbin stop" and a report begin a thread.
type Commands interface {
	// Visitor returns who the user is, and in words why that person is told nothing; empty: the person is.
	Visitor(ctx context.Context, user string) (p workflow.Person, refused string)
	// Help returns what the person is told who asks what the bot can do.
	Help(ctx context.Context, q workflow.HelpQuestion) (workflow.Help, error)
	// Status returns what the bot does in the channel, or in words why the user is not told.
	Status(ctx context.Context, user, channel string) (s workflow.ChannelStatus, refused string, err error)
	// MayReport returns in words why the user may not begin a thread in the channel; empty: the user may.
	MayReport(ctx context.Context, user, channel string) (why string, err error)
}

// away is said if something fails that a second try may help with.
const away = "That did not work: something I need is away. Please try again in a moment."

// tooLate is said if Slack opens a form no more: it has to be opened within three seconds.
const tooLate = "The form took too long to open; run it again."

// tookTooLong reports whether Slack refused to open a form since its trigger has expired.
func tookTooLong(err error) bool { return bot.ErrorCode(err) == "expired_trigger_id" }

// runBobbin runs /bobbin and returns the answer that only the person sees, or nil if something else is answer
// enough.
func (l *link) runBobbin(ctx context.Context, c event.SlashCommand, payload []byte) any {
	sub, text, help := c.Subcommand()
	if help != "" {
		return ephemeralAnswer(help)
	}
	ctx, cancel := context.WithTimeout(ctx, l.commandTimeout())
	defer cancel()
	var answer any
	var err error
	switch sub {
	case event.SubStatus:
		answer, err = l.answerStatus(ctx, c)
	case event.SubStop:
		answer, err = l.stopChannel(ctx, c)
	case event.SubReport:
		answer, err = l.report(ctx, c, text, payload)
	default:
		answer, err = l.answerHelp(ctx, c)
	}
	if err != nil {
		l.log.Error("could not answer a command", "command", c.Name, "sub", sub, "channel", c.Channel,
			"err", err)
		if tookTooLong(err) {
			return ephemeralAnswer(tooLate)
		}
		return ephemeralAnswer(away)
	}
	return answer
}

func (l *link) answerHelp(ctx context.Context, c event.SlashCommand) (any, error) {
	person, refused := l.Commands.Visitor(ctx, c.User)
	if refused != "" {
		return ephemeralAnswer(mrkdwn.Escape(refused)), nil
	}
	help, err := l.Commands.Help(ctx, workflow.HelpQuestion{Reader: person, Channel: c.Channel})
	if err != nil {
		return nil, err
	}
	return blockAnswer(render.Help(help)), nil
}

func (l *link) answerStatus(ctx context.Context, c event.SlashCommand) (any, error) {
	status, refused, err := l.statusOf(ctx, c)
	if refused != nil || err != nil {
		return refused, err
	}
	return blockAnswer(l.homePage().Status(status)), nil
}

// statusOf returns what the bot does in the command's channel, or the answer to a user who is not told.
func (l *link) statusOf(
	ctx context.Context, c event.SlashCommand,
) (s workflow.ChannelStatus, refused any, err error) {
	s, why, err := l.Commands.Status(ctx, c.User, c.Channel)
	if why != "" && err == nil {
		refused = ephemeralAnswer(mrkdwn.Escape(why))
	}
	return s, refused, err
}

// stopChannel begins a thread that names what is at work in the channel, each with a button that stops it,
// like a stop at the top of the channel. If nothing is, it says only that.
func (l *link) stopChannel(ctx context.Context, c event.SlashCommand) (any, error) {
	status, refused, err := l.statusOf(ctx, c)
	switch {
	case refused != nil || err != nil:
		return refused, err
	case !status.AtWork():
		return ephemeralAnswer("Nothing is at work in this channel, so there is nothing to stop."), nil
	}
	c.Name += " " + event.SubStop
	c.Text = ""
	if _, err := l.beginThread(ctx, c); err != nil {
		return ephemeralAnswer(l.apologise(err)), nil
	}
	return nil, nil
}

// report begins a thread with the text, or opens the form in which a bug is reported if there is none.
func (l *link) report(ctx context.Context, c event.SlashCommand, text string, payload []byte) (any, error) {
	if text == "" {
		return l.openReportForm(ctx, c, payload)
	}
	why, err := l.Commands.MayReport(ctx, c.User, c.Channel)
	switch {
	case err != nil:
		return nil, err
	case why != "":
		return ephemeralAnswer(mrkdwn.Escape(why)), nil
	}
	c.Name = workflow.ReportFormOf(workflow.ButtonReport).Begins + ":"
	c.Text = text
	c.Reports = true
	if _, err := l.beginThread(ctx, c); err != nil {
		return ephemeralAnswer(l.apologise(err)), nil
	}
	return nil, nil
}

func (l *link) openReportForm(ctx context.Context, c event.SlashCommand, payload []byte) (any, error) {
	if l.Homes == nil {
		return ephemeralAnswer("Say what is wrong: `" + c.Name + " report …`"), nil
	}
	form, err := l.Homes.Form(ctx, c.User, workflow.ButtonReport, c.Channel)
	if err != nil || form == nil {
		return nil, err
	}
	_, err = l.Slack.API.OpenViewContext(ctx, event.ReadTrigger(payload), render.Modal(*form, ""))
	return nil, err
}

// keepReport begins the thread of a submitted form, and returns what to show in the modal: why it does not,
// or where the thread is, if the person may not look at that channel now; nil closes the modal.
func (l *link) keepReport(ctx context.Context, s event.Submission) any {
	c := s.Report()
	thread, why := l.beginReport(ctx, c)
	switch {
	case why != "":
		return slack.NewErrorsViewSubmissionResponse(map[string]string{s.BlameInput: why})
	case s.In.Value == c.Channel: // the person sees the thread begin
		return nil
	}
	l.openHome(ctx, c.User)
	reported := l.homePage().Reported(s.In.ActionID, thread)
	return slack.NewUpdateViewSubmissionResponse(&reported)
}

// beginReport begins the thread of a report and returns it, or in words why it does not.
func (l *link) beginReport(ctx context.Context, c event.SlashCommand) (thread workflow.Thread, why string) {
	ctx, cancel := context.WithTimeout(ctx, l.commandTimeout())
	defer cancel()
	why, err := l.Commands.MayReport(ctx, c.User, c.Channel)
	switch {
	case err != nil:
		l.log.Error("could not read whether somebody may report", "channel", c.Channel, "err", err)
		return thread, "Slack does not tell whether you are in that channel. Your words stay here; please " +
			"send them again in a moment."
	case why != "":
		return thread, why
	}
	if thread, err = l.beginThread(ctx, c); err != nil {
		l.log.Error("could not begin with a form", "channel", c.Channel, "err", err)
		return thread, l.apologise(err)
	}
	return thread, ""
}

// blockAnswer returns an answer with blocks, which only the person sees.
func blockAnswer(text string, blocks []slack.Block) any {
	return map[string]any{
		"response_type": "ephemeral",
		"text":          text,
		"blocks":        blocks,
		"unfurl_links":  false,
		"unfurl_media":  false,
	}
}
