package doctor

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/examine"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Explain returns the finding for an error with which the bot did not start, or ended. It returns false for
// an error that the doctor has no words for.
func Explain(err error, s server.Settings) (Finding, bool) {
	var refused *bot.AuthError
	var noChannel *bot.NoChannelError
	var unavailable *sandbox.Unavailable
	switch {
	case errors.As(err, &refused):
		what := ""
		switch refused.Setting {
		case bot.BotTokenName:
			what = "the bot token " + examine.Masked(s.SlackToken)
		case bot.AppTokenName:
			what = "the app token " + examine.Masked(s.SlackAppToken)
		}
		return explainSlack(what, err, ""), true
	case errors.As(err, &noChannel):
		return noSuchChannel("#"+noChannel.Name, noChannel.Bot, noChannel.Near), true
	case errors.As(err, &unavailable):
		return unusableSandbox(unavailable), true
	}
	return Finding{}, false
}

// FromStanding returns the findings for what is off at a bot that runs.
func FromStanding(s server.Standing) (list List) {
	for _, off := range s.Off {
		list.warn(off.What, off.Cure)
	}
	return list
}

// endpointWithin is how long the models' endpoint has to answer while the bot runs.
const endpointWithin = 15 * time.Second

// LookAtEndpoint asks the endpoint that the models share for its list, and returns the problems.
func LookAtEndpoint(ctx context.Context, s server.Settings) (problems List) {
	if !s.SharedModels() {
		return nil
	}
	d := &Doctor{settings: s, log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithTimeout(ctx, endpointWithin)
	defer cancel()
	var found List
	d.examineEndpoint(ctx, d.modelClient(), &found)
	for _, f := range found {
		if f.State == stateProblem && ctx.Err() == nil {
			problems.problem("the models: "+f.What, f.Cure)
		}
	}
	return problems
}

// explainSlack returns the finding for an error of a request to Slack. what is the token or the thing that
// the request was about.
func explainSlack(what string, err error, cure string) Finding {
	if what != "" {
		what += ": "
	}
	f := Finding{State: stateProblem}
	var refused *bot.AuthError
	switch why := plaintext.NetworkError(err); {
	case errors.As(err, &refused):
		f.What = what + "Slack says " + refused.Code
		f.Cure = cmp.Or(cure, refused.Cure)
	case why != "":
		f.What = "Slack cannot be reached: " + why
		f.Cure = server.NoSlackCure
	case errors.Is(err, context.DeadlineExceeded):
		f.What = what + "Slack does not answer in time"
		f.Cure = server.NoSlackCure
	default:
		f.What = what + err.Error()
		f.Cure = cmp.Or(cure, server.NoSlackCure)
	}
	return f
}

// noSuchChannel returns the finding for a #name that the configuration has and no channel of the bot.
func noSuchChannel(named, bot string, near []string) Finding {
	return Finding{
		State: stateProblem,
		What:  "the bot is in no channel called " + named + cli.DidYouMean(named, near),
		Cure:  "/invite @" + bot + " in " + named + ", or correct the name",
	}
}

// unusableSandbox returns the finding for a kind of sandbox that the configuration asks for.
func unusableSandbox(u *sandbox.Unavailable) Finding {
	return Finding{
		State: stateProblem,
		What:  u.Kind + " is what the configuration asks for, but it does not work here: " + u.Why,
		Cure:  u.Cure + ", or remove sandbox.kind from the configuration",
	}
}
