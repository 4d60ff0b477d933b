package event

import (
	"cmp"
	"encoding/json"

	"github.com/bobbinhq/bobbin/bot/event/alert"
	"github.com/bobbinhq/bobbin/workflow/incoming"
)

// readAlert translates what another app posted, where the channel is watched for that app.
// Replies are left out: what an app adds in a thread is about an alert that was read. So is what
// an app of another workspace posts in a channel that both share.
func (r Reader) readAlert(c eventCallback, e event) (incoming.Event, string) {
	var feeds []incoming.Feed
	for _, f := range r.Feeds {
		if f.Channel == string(e.Channel) {
			feeds = append(feeds, f)
		}
	}
	if len(feeds) == 0 || e.TS == "" || e.ThreadTS != "" && e.ThreadTS != e.TS {
		return incoming.Event{}, anotherBot
	}
	var of struct {
		Event json.RawMessage `json:"event"`
	}
	var from struct {
		Profile lenient[struct {
			Team jstring `json:"team_id"`
		}] `json:"bot_profile"`
	}
	_ = json.Unmarshal(c.raw, &of)
	_ = json.Unmarshal(of.Event, &from)
	if team := cmp.Or(from.Profile.v.Team, e.UserTeam, e.Team); team != "" && string(team) != r.Self.Team {
		return incoming.Event{}, "a message of another workspace's app"
	}
	read, ok := alert.Read(of.Event)
	if !ok {
		return incoming.Event{}, "a bot's message without words"
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
		return incoming.Event{}, "a message of an app that is not watched"
	case named > 1:
		read.Repository = "" // people choose
	}
	in := r.newIncoming(e.post)
	in.Kind, in.At, in.User, in.UserTeam, in.Files = incoming.AppAlert, ParseTS(string(e.TS)), "", "", nil
	in.Text, in.Value, in.Alert = read.String(), read.App, &read
	return in, ""
}
