package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot/examine"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
)

// examineFeeds checks that the apps of watch_apps exist, as far as Slack shows them.
func (sc slackCheck) examineFeeds(ctx context.Context) {
	if !slices.ContainsFunc(sc.repositories, func(r config.Repository) bool { return len(r.WatchApps) > 0 }) {
		return
	}
	apps, err := sc.Apps(ctx)
	if err != nil {
		sc.refuse("the apps of watch_apps", err, "")
		return
	}
	for _, r := range sc.repositories {
		for _, named := range r.WatchApps {
			i := slices.IndexFunc(apps, func(a examine.InstalledApp) bool { return a.Is(named) })
			if i >= 0 {
				sc.examineFeed(ctx, r, named, apps[i])
				continue
			}
			var names []string
			for _, a := range apps {
				names = append(names, a.Name, a.ID)
			}
			what := "watch_apps of " + r.Name + ": Slack shows no app " + named
			if near := cli.DidYouMean(named, names); near != "" {
				sc.warn(what+near, "correct it; an app's id (A…) is safest")
			} else {
				sc.note(what, "this is right for an incoming webhook, which Slack does not show, if its "+
					"messages have this name. Otherwise correct it; an app's id (A…) is safest")
			}
		}
	}
}

// examineFeed checks in which channels of the repository an app is a member.
func (sc slackCheck) examineFeed(
	ctx context.Context, r config.Repository, named string, app examine.InstalledApp,
) {
	if named != app.ID {
		sc.note("watch_apps of "+r.Name+" names "+app.String()+
			" by its name, which any incoming webhook can take", "write "+app.ID)
	}
	var in, out []string
	for _, channel := range r.Channels {
		at, _, err := sc.Channel(ctx, channel)
		if err != nil || !at.Member || slices.Contains(in, "#"+at.Name) || slices.Contains(out, "#"+at.Name) {
			continue // examineChannels reports it
		}
		switch is, err := sc.IsIn(ctx, app, at.ID); {
		case err != nil:
			sc.refuse("who is in "+at.String(), err, "")
		case is:
			in = append(in, "#"+at.Name)
		default:
			out = append(out, "#"+at.Name)
		}
	}
	if len(in) > 0 {
		sc.ok("watch_apps of %s: %s is in %s", r.Name, app, strings.Join(in, ", "))
	}
	if len(out) > 0 {
		sc.note("watch_apps of "+r.Name+": "+app.String()+" is not a member of "+strings.Join(out, ", "),
			"if it is set up to post there, it can post without being a member, and Slack does not say "+
				"so; otherwise /invite it there")
	}
}
