package event

import (
	"cmp"
	"slices"

	"github.com/bobbinhq/bobbin/bot/internal/event/alert"
	"github.com/bobbinhq/bobbin/workflow"
)

// addresses reports whether a message of an app is for the bot: it mentions the bot, or it has the id of a
// user and is in a thread. Whether that user is a person, for whom the app posts, is looked up later.
func (r Reader) addresses(e event) bool {
	inThread := e.ThreadTS != "" && e.ThreadTS != e.TS
	return e.Type == "app_mention" || r.mentionsBot(e.Text) || r.mentionsBot(jstring(e.Blocks)) ||
		e.User != "" && (inThread || e.ChannelType == "im")
}

// readThroughApp translates a message that an app posted. Value is the app's name. If watch_apps names the
// app, the message is data that nobody asked for, and has no user. Otherwise it is judged by its user: a bot
// is told how it can be allowed, and a person for whom an app posts may report and correct.
func (r Reader) readThroughApp(in workflow.IncomingEvent, e event) (workflow.IncomingEvent, string) {
	mentions := e.Type == "app_mention" || r.mentionsBot(e.Text) || r.mentionsBot(jstring(e.Blocks))
	in.Value = appName(e.post)
	app := workflow.Alert{AppID: string(cmp.Or(e.AppID, e.Profile.v.AppID)), App: in.Value}
	watched := slices.ContainsFunc(r.Feeds, func(f workflow.Feed) bool {
		return f.Channel == string(e.Channel) && alert.Named(app, f.Apps)
	})
	switch {
	case mentions && watched:
		in.Kind = workflow.MessageAlert
		in.User = ""
		in.UserTeam = ""
		in.Files = nil
	case mentions:
		in.Kind = workflow.MessageMention
	default:
		in.Kind = workflow.MessageReply
	}
	if in.Text == "" {
		return in, "an app's message without words"
	}
	return in, ""
}
