package examine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
)

// An InstalledApp is an app of the workspace that has a bot user. Slack does not list other apps, such as
// incoming webhooks.
type InstalledApp struct {
	ID, Name string
	user     string
	handle   string
}

// Is reports whether named, a value of the configuration, is the app's id, its name or its handle. Names are
// compared without case.
func (i InstalledApp) Is(named string) bool {
	return named == i.ID || strings.EqualFold(named, i.Name) || strings.EqualFold(named, i.handle)
}

func (i InstalledApp) String() string { return i.Name + " (" + i.ID + ")" }

// Apps lists the workspace's apps, without the bot itself.
func (e *Examiner) Apps(ctx context.Context) (apps []InstalledApp, err error) {
	users, err := e.people.Slack.API.GetUsersContext(ctx, slack.GetUsersOptionLimit(1000))
	if err != nil {
		return nil, fmt.Errorf("users.list: %w", bot.ExplainError(err, bot.BotTokenName))
	}
	for _, u := range users {
		if u.IsBot && !u.Deleted && u.Profile.ApiAppID != "" && u.ID != e.Self().User {
			name := u.RealName
			if name == "" {
				name = u.Name
			}
			apps = append(apps, InstalledApp{ID: u.Profile.ApiAppID, Name: name, user: u.ID, handle: u.Name})
		}
	}
	return apps, nil
}

// IsIn reports whether the app's bot user is a member of the channel with that id.
func (e *Examiner) IsIn(ctx context.Context, a InstalledApp, channel string) (bool, error) {
	members, err := e.people.Members(ctx, channel)
	return slices.Contains(members, a.user), err
}
