package event

import (
	"cmp"
	"encoding/json"

	"github.com/bobbinhq/bobbin/bot/internal/event/alert"
	"github.com/bobbinhq/bobbin/workflow"
)

// readAlert translates a message of another app if a feed watches the channel for that app. It ignores
// replies, since they are about an alert that was already read, and messages of apps of another
// workspace in a shared channel.
func (r Reader) readAlert(c eventCallback, e event) (workflow.IncomingEvent, string) {
	var feeds []workflow.Feed
	for _, f := range r.Feeds {
		if f.Channel == string(e.Channel) {
			feeds = append(feeds, f)
		}
	}
	if len(feeds) == 0 || e.TS == "" || e.ThreadTS != "" && e.ThreadTS != e.TS {
		return workflow.IncomingEvent{}, anotherBot
	}
	var of struct {
		Event json.RawMessage `json:"event"`
	}
	_ = json.Unmarshal(c.raw, &of)
	if team := cmp.Or(e.Profile.v.Team, e.UserTeam, e.Team); team != "" && string(team) != r.Self.Team {
		return workflow.IncomingEvent{}, "a message of another workspace's app"
	}
	read, ok := alert.Read(of.Event)
	if !ok {
		return workflow.IncomingEvent{}, "a bot's message without words"
	}
	named := 0
	for _, f := range feeds {
		if alert.Named(read, f.Apps) {
			named++
			read.Repository = f.Repository
		}
	}
	switch {
	case named == 0:
		return workflow.IncomingEvent{}, "a message of an app that is not watched"
	case named > 1:
		read.Repository = "" // several feeds match: people choose the repository
	}
	in := r.newIncoming(e.post)
	in.Kind = workflow.MessageAlert
	in.At = ParseTS(string(e.TS))
	in.User = ""
	in.UserTeam = ""
	in.Files = nil
	in.Text = read.String()
	in.Value = read.App
	in.Alert = &read
	return in, ""
}
