package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/examine"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/workflow"
)

// skew is how far two clocks may stand apart before somebody should know.
const skew = 10 * time.Second

// examineSlack looks at the tokens, at what they allow, and at who and what the configuration names.
func (d *Doctor) examineSlack(ctx context.Context, f *findings) {
	botToken, appToken := d.secrets[secrets.SlackBotToken], d.secrets[secrets.SlackAppToken]
	botGood := tokenForm(f, secrets.SlackBotToken, botToken, "a bot token", "xoxb-…, on the app's page under OAuth & Permissions")
	appGood := tokenForm(f, secrets.SlackAppToken, appToken, "an app-level token", "xapp-…, on the app's page under Basic Information, App-Level Tokens, with the scope connections:write")
	config := bot.Config{BotToken: botToken, AppToken: appToken, APIURL: d.settings.SlackURL, Log: d.log}
	var app string
	var e *examine.Examiner
	if botGood {
		var err error
		if e, err = examine.App(ctx, config); err != nil {
			slackRefusal(f, "the bot token "+examine.Masked(botToken), err, "")
		} else {
			app = e.App
			d.reportBot(f, e, botToken)
		}
	}
	if appGood {
		d.examineSocket(ctx, f, config, app)
	}
	if e == nil {
		return
	}
	d.examineChannels(ctx, f, e)
	d.examineApprovers(ctx, f, e)
}

// tokenForm says what is wrong with a token by its look alone.
func tokenForm(f *findings, name, value, want, from string) bool {
	kind := examine.TokenKind(value)
	switch {
	case value == "":
		f.problem(name+" is not set", "it is "+from+"; where there is no app yet: bobbin manifest --url")
	case strings.ContainsFunc(value, config.NeverInToken):
		f.problem(name+" holds white space, quotes or other characters that no token has", "copy it again: "+from)
	case kind == want:
		return true
	case kind == "an app-level token":
		f.problem(fmt.Sprintf("%s holds %s: this is an app-level token", name, examine.Masked(value)), "put it into "+secrets.SlackAppToken+"; "+name+" is "+from)
	case kind == "a bot token":
		f.problem(fmt.Sprintf("%s holds %s: this is a bot token", name, examine.Masked(value)), "put it into "+secrets.SlackBotToken+"; "+name+" is "+from)
	default:
		f.problem(fmt.Sprintf("%s holds %s, and %s is needed", name, cmp.Or(kind, "something that is no token of Slack's"), want), "it is "+from)
	}
	return false
}

// appPage is one of an app's pages.
func appPage(app, name string) string {
	if app == "" {
		return "https://api.slack.com/apps"
	}
	return "https://api.slack.com/apps/" + app + "/" + name
}

// slackRefusal says what Slack refused, with its cure.
func slackRefusal(f *findings, what string, err error, cure string) {
	var refused *bot.AuthError
	switch {
	case errors.As(err, &refused):
		f.problem(what+": Slack says "+refused.Code, cmp.Or(cure, refused.Cure))
	case errors.Is(err, context.DeadlineExceeded):
		f.problem(what+": Slack does not answer in time", "see that this machine reaches https://slack.com, through its proxy if it has one")
	default:
		f.problem(what+": "+err.Error(), cmp.Or(cure, "see that this machine reaches https://slack.com, through its proxy if it has one"))
	}
}

func (d *Doctor) reportBot(f *findings, e *examine.Examiner, token string) {
	self := e.Self()
	f.ok("the bot token %s is that of @%s in %s (%s)", examine.Masked(token), self.Name, self.TeamName, e.URL)
	switch {
	case e.Scopes == nil:
		f.note("Slack did not say which scopes the bot token has", "compare them with: bobbin manifest")
	default:
		d.examineScopes(f, e)
	}
	if e.Ahead.Abs() > skew {
		f.warn("this machine's clock is "+clockDifference(e.Ahead)+" Slack's", "set it: timedatectl set-ntp true")
	}
}

func clockDifference(ahead time.Duration) string {
	if ahead < 0 {
		return (-ahead).Round(time.Second).String() + " behind"
	}
	return ahead.Round(time.Second).String() + " ahead of"
}

func (d *Doctor) examineScopes(f *findings, e *examine.Examiner) {
	lacking := 0
	for _, s := range deploy.Scopes() {
		if slices.Contains(e.Scopes, s.Name) {
			continue
		}
		lacking++
		what := fmt.Sprintf("the app lacks the scope %s: without it Bobbin cannot %s", s.Name, s.Why)
		cure := fmt.Sprintf("add it at %s (or put the output of bobbin manifest there), then reinstall the app at %s", appPage(e.App, "app-manifest"), appPage(e.App, "install-on-team"))
		if s.Name == "usergroups:read" && !d.usesGroups() || s.Name == "reactions:read" && !d.usesReactions() {
			f.warn(what, cure)
		} else {
			f.problem(what, cure)
		}
	}
	if lacking == 0 {
		f.ok("the app has all scopes that Bobbin uses")
	}
}

func (d *Doctor) usesGroups() bool {
	return slices.ContainsFunc(d.config.Repositories, func(r config.Repository) bool {
		return slices.ContainsFunc(r.Approvers, isGroup)
	})
}

// usesReactions: a reaction means something somewhere.
func (d *Doctor) usesReactions() bool {
	return slices.ContainsFunc(d.config.Repositories, func(r config.Repository) bool { return len(r.Reactions) > 0 })
}

func isGroup(id string) bool { return strings.HasPrefix(id, "S") }

// examineSocket opens a link to Slack as the bot would. Beside a bot it only asks for one: what
// Slack hands to a link that is about to go is late, and a press of a button is lost.
func (d *Doctor) examineSocket(ctx context.Context, f *findings, config bot.Config, app string) {
	at, err := examine.Socket(ctx, config, d.botAtWork)
	masked := "the app token " + examine.Masked(config.AppToken)
	var refused *bot.AuthError
	switch {
	case errors.As(err, &refused) && refused.Code == "missing_scope":
		slackRefusal(f, masked, err, "it lacks connections:write: generate another at "+appPage(app, "general")+", App-Level Tokens, with that scope")
	case errors.As(err, &refused) && refused.Code == "socket_mode_not_enabled":
		f.problem("Socket Mode is off", "turn it on at "+appPage(app, "socket-mode"))
		return
	case err != nil:
		slackRefusal(f, masked, err, "")
	case d.botAtWork:
		f.ok("%s may open links; none was opened, since a bot is at work", masked)
	default:
		f.ok("%s opened a link, and Slack greeted (%s open)", masked, cli.Count(at.Links, "link"))
	}
	if at.App != "" && app != "" && at.App != app {
		f.problem(fmt.Sprintf("the two tokens are of different apps: %s is of %s, %s of %s", secrets.SlackBotToken, app, secrets.SlackAppToken, at.App), "take both from the page of one app: "+appPage(app, "general"))
	}
	if err == nil {
		d.noteEvents(f, app)
	}
}

// noteEvents: what the app is subscribed to cannot be asked, so it is said how to see it.
func (d *Doctor) noteEvents(f *findings, app string) {
	f.note("whether events and buttons arrive shows in use only: mention the bot, and it answers with a reaction within a second",
		fmt.Sprintf("if it does not: on the app's page (%s) Event Subscriptions has to be on, with %s, and Interactivity as well", appPage(app, "event-subscriptions"), strings.Join(deploy.Names(deploy.Events()), ", ")))
}

// examineChannels looks at each that the configuration names.
func (d *Doctor) examineChannels(ctx context.Context, f *findings, e *examine.Examiner) {
	var seen, good []string
	for _, r := range d.config.Repositories {
		for _, named := range r.Channels {
			if slices.Contains(seen, named) {
				continue
			}
			seen = append(seen, named)
			if name := d.examineChannel(ctx, f, e, named); name != "" && !slices.Contains(good, "#"+name) {
				good = append(good, "#"+name)
			}
		}
	}
	if len(good) > 0 {
		f.ok("the bot is in %s", strings.Join(good, ", "))
	}
	if len(seen) > 0 {
		return
	}
	switch n, err := e.Channels(ctx); {
	case err != nil:
		slackRefusal(f, "the bot's channels", err, "")
	case n == 0:
		f.warn("the bot is in no channel", "/invite @"+e.Self().Name+" in the channel where it is to work")
	default:
		f.ok("the bot is in %s", cli.Count(n, "channel"))
	}
}

// examineChannel gives the name of one that is as it should be.
func (d *Doctor) examineChannel(ctx context.Context, f *findings, e *examine.Examiner, named string) string {
	c, near, err := e.Channel(ctx, named)
	invite := "/invite @" + e.Self().Name + " in "
	switch {
	case err != nil:
		slackRefusal(f, "channel "+named, err, "")
	case c.ID == "" && c.Name != "":
		f.problem("the bot is in no channel called "+named+cli.DidYouMean(named, near), invite+named+", or correct the name")
	case c.ID == "":
		f.problem("there is no channel "+named+" that the bot can see", "if it is private: "+invite+"it; else correct the id (the channel's name, View channel details, at the bottom)")
	case c.Archived:
		f.problem("channel "+channelLabel(c)+" is archived", "name another")
	case !c.Member:
		f.problem("the bot is not in "+channelLabel(c), invite+"#"+c.Name)
	case c.Shared:
		f.warn(channelLabel(c)+" is shared with another organisation: its people read what Bobbin says there, and may not approve", "take a channel of your own for code that they are not to see")
		return c.Name
	default:
		return c.Name
	}
	return ""
}

func channelLabel(c examine.ChannelStanding) string { return "#" + c.Name + " (" + c.ID + ")" }

// examineApprovers looks whether those who are named may approve anything at all.
func (d *Doctor) examineApprovers(ctx context.Context, f *findings, e *examine.Examiner) {
	var seen, good []string
	for _, r := range d.config.Repositories {
		if r.OtherThanRequester && len(r.Approvers) == 1 && !isGroup(r.Approvers[0]) {
			f.warn(fmt.Sprintf("%s has one approver, and somebody other than the requester has to approve: what that person asks for, nobody can", r.Describe()), "name another approver as well")
		}
		for _, id := range r.Approvers {
			if slices.Contains(seen, id) {
				continue
			}
			seen = append(seen, id)
			look := d.examineApprover
			if isGroup(id) {
				look = d.examineGroup
			}
			if name := look(ctx, f, e, id); name != "" {
				good = append(good, name)
			}
		}
	}
	if len(good) > 0 {
		f.ok("may approve: %s", strings.Join(good, ", "))
	}
}

func (d *Doctor) examineApprover(ctx context.Context, f *findings, e *examine.Examiner, id string) string {
	p, found, err := e.Person(ctx, id)
	p.InThread = true // whose channel it is shows at the time
	switch why := (workflow.Approvers{}).MayApprove(p, ""); {
	case err != nil:
		slackRefusal(f, "approver "+id, err, "")
	case !found:
		f.problem("approver "+id+" is nobody in this workspace", "correct the id (the person's profile, ⋮, Copy member ID)")
	case why != "":
		f.problem(fmt.Sprintf("approver %s (%s) can never approve: %s", id, p.Name, why), "name a full member in that place")
	default:
		return p.Name
	}
	return ""
}

func (d *Doctor) examineGroup(ctx context.Context, f *findings, e *examine.Examiner, id string) string {
	users, found, err := e.Group(ctx, id)
	switch {
	case err != nil:
		slackRefusal(f, "user group "+id, err, "")
	case !found:
		f.problem("there is no user group "+id, "correct the id, or enable the group (People, User groups)")
	case len(users) == 0:
		f.problem("user group "+id+" has no members: nobody can approve by it", "add people to it (People, User groups)")
	default:
		return fmt.Sprintf("%s (%s)", id, cli.Count(len(users), "member"))
	}
	return ""
}
